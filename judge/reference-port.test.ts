import { expect, test } from 'vitest';
import { item, referring } from './service/referrers.ts';
import { scenario } from './case.ts';
import { runCase } from './case/run-case.ts';
import { sendJson, smallService } from './small-service.fixture.ts';
import { catalogue } from '../suites/catalogue.ts';
import { sessionFor, profileOfServer } from './run/session.fixture.ts';

type Members = Record<string, unknown>;

/** The reference server with ports for one reference each: what is behind it has arrays. */
async function singleService(origin: string, ports: readonly string[]): Promise<string> {
  const toArray = (members: Members): boolean =>
    ports.every((port) => {
      const isRight = !Array.isArray(members[port]);
      if (members[port] !== undefined) members[port] = [members[port]];
      return isRight;
    });
  const toOne = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (ports.includes(name) && Array.isArray(member)) Reflect.set(value, name, member[0]);
      else toOne(member);
    }
  };
  const small = await smallService(async ({ method, url, headers, body }, response) => {
    const isList = method === 'POST' && /\/softtype\/?$/.test(url);
    const items = isList ? (JSON.parse(body.toString()) as { data?: Members }[]) : [];
    if (!items.every(({ data = {} }) => toArray(data))) return sendJson({}, response, 422);
    const answer = await fetch(origin + url, {
      method,
      headers: headers.filter(([name]) => !/^(?:host|connection|content-length)$/i.test(name)).map(([...pair]) => pair),
      ...(body.length > 0 && { body: isList ? JSON.stringify(items) : new Uint8Array(body) }),
    });
    const text = (await answer.text()).replaceAll(origin, small.url);
    const json: unknown = answer.headers.get('content-type')?.includes('json') === true ? JSON.parse(text) : undefined;
    toOne(json);
    const kept = [...answer.headers].filter(
      ([name]) => !/^(?:connection|content-length|content-encoding|transfer)/.test(name),
    );
    response.writeHead(answer.status, kept).end(json === undefined ? text : JSON.stringify(json));
  });
  return small.url;
}

test.each([
  'multi-create.reference.backward',
  'multi-create.reference.mutual',
  'multi-create.reference.stores-real-identity',
  'multi-create.graph.every-edge-stored',
] as const)('a port for one reference is written and read without an array: %s', async (id) => {
  const loaded = await profileOfServer();
  const { baseUrl } = loaded.profile;
  const url = await singleService(baseUrl, ['describes', 'describedBy']);
  const text = JSON.stringify(loaded.profile).replaceAll(baseUrl, url);
  const profile = JSON.parse(
    text.replaceAll('"port":"describe', '"single":true,"port":"describe'),
  ) as typeof loaded.profile;
  const session = sessionFor({ ...loaded, profile });
  const rule = catalogue.get(id);
  const outcome = await runCase(rule, rule.test, { session, seed: 1, runs: 5, deadlineMs: 60_000 });
  expect(outcome).toMatchObject({ verdict: 'pass' });
});

test('an item refers by the port of the part of its SoftType that is meant', async () => {
  const session = sessionFor(await profileOfServer());
  const rule = catalogue.get('multi-create.graph.every-edge-stored');
  const written: unknown[] = [];
  const refer = scenario(async (context) => {
    const { primary } = context.profile;
    const part = { ...primary, reference: { port: 'leader', target: 'second', single: true } };
    const target = item(context);
    for (const type of [undefined, part])
      written.push(referring(context, item(context, {}, type), [target], { type }).data);
  });
  await runCase(rule, refer, { session, seed: 1, runs: 1, deadlineMs: 60_000 });
  expect(written).toMatchObject([{ describes: [{}] }, { leader: { value: {} } }]);
});
