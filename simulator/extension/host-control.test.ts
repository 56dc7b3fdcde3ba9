import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { hostFaults } from '../../variants/extension-host/faults.ts';
import { startExtensionHost, type ExtensionHostOptions } from './host.ts';
import { calling, controlling } from './service.fixture.ts';

interface Controlled {
  readonly ask: ReturnType<typeof controlling>;
  /** Status of a call of that kind. */
  call(kind: string, id?: string): Promise<number>;
}

async function withHost(options: ExtensionHostOptions, work: (controlled: Controlled) => Promise<void>): Promise<void> {
  await using host = await startExtensionHost({ control: true, faults: hostFaults(), ...options });
  const send = calling(host.url);
  await work({
    ask: controlling(host),
    call: async (kind, id = kind) => (await send(kind, { id, payload: {} })).status,
  });
}

const failing = (kind: string, status: number): object => ({ when: { kind }, steps: [{ status }], afterwards: 'last' });

describe('the script of a host', () => {
  test('is shown, set, added to and cleared', () =>
    withHost({}, async ({ ask, call }) => {
      expect((await ask('GET', 'script')).body).toEqual({ answers: [] });
      expect((await ask('PUT', 'script', { answers: [failing('event', 503)] })).status).toBe(200);
      expect([await call('event'), await call('email')]).toEqual([503, 200]);
      await ask('POST', 'script', { answers: [failing('event', 500), failing('email', 502)] });
      expect([await call('event'), await call('email')]).toEqual([503, 502]);
      expect((await ask('GET', 'script')).body['answers']).toHaveLength(3);
      expect((await ask('DELETE', 'script')).body).toEqual({ answers: [] });
      expect([await call('event', 'two'), await call('email', 'two')]).toEqual([200, 200]);
    }));

  test('goes on counting where it is added to, and begins anew where it is set', () =>
    withHost({}, async ({ ask, call }) => {
      const once = { answers: [{ steps: [{ status: 503 }] }] };
      await ask('PUT', 'script', once);
      expect(await call('email', 'a')).toBe(503);
      await ask('POST', 'script', { answers: [failing('task', 500)] });
      expect(await call('email', 'b')).toBe(200);
      await ask('PUT', 'script', once);
      expect(await call('email', 'c')).toBe(503);
    }));

  test('is taken as YAML, and refused with line and column', () =>
    withHost({}, async ({ ask }) => {
      const yaml = 'answers:\n  - steps: [{ status: 503 }]\n';
      expect((await ask('PUT', 'script', yaml, 'application/yaml')).status).toBe(200);
      expect(await ask('PUT', 'script', yaml.replace('status', 'statsu'))).toMatchObject({
        status: 400,
        body: { detail: 'body:2:15: unknown key "statsu" in answers.0.steps.0; did you mean "status"?' },
      });
      expect((await ask('GET', 'script')).body['answers']).toHaveLength(1);
    }));

  test('that is a function can be replaced only', () =>
    withHost({ script: () => ({ status: 418 }) }, async ({ ask, call }) => {
      expect((await ask('GET', 'script')).status).toBe(409);
      expect((await ask('POST', 'script', { answers: [] })).status).toBe(409);
      expect((await ask('PUT', 'script', { answers: [] })).status).toBe(200);
      expect(await call('event')).toBe(200);
      await ask('POST', 'reset');
      expect(await call('event', 'two')).toBe(418);
    }));
});

describe('the journal of a host', () => {
  test.each([
    ['kind=evnet', 400, /did you mean "event"/],
    ['knd=event', 400, /did you mean "kind"\?/],
    ['count=0', 400, /must be 1 or more, found 0/],
    ['count=1', 200, /^$/],
    ['count=1000', 200, /^$/],
    ['count=1001', 400, /must be 1000 or less/],
    ['count=x', 400, /must be of type integer, found "x"/],
    ['awaitMs=60001', 400, /must be 60000 or less/],
    ['awaitMs=-1', 400, /must be 0 or more/],
    ['after=-1', 400, /must be 0 or more/],
    ['ended=false', 400, /must be one of "true"/],
  ])('?%s is answered %i', (query, status, detail) =>
    withHost({}, async ({ ask }) => {
      const reply = await ask('GET', `journal?${query}`);
      expect([reply.status, String(reply.body['detail'] ?? '')]).toEqual([status, expect.stringMatching(detail)]);
    }),
  );

  test('is filtered, awaited and forgotten', () =>
    withHost({}, async ({ ask, call }) => {
      const awaited = ask('GET', 'journal?kind=event&count=2&awaitMs=60000&ended=true');
      for (const [kind, id] of [
        ['event', 'a'],
        ['email', 'b'],
        ['event', 'c'],
      ] as const)
        await call(kind, id);
      expect((await awaited).body).toMatchObject({
        complete: true,
        entries: [
          { correlationId: 'a', status: 200, ending: 'answered' },
          { correlationId: 'c', number: 3 },
        ],
      });
      expect((await ask('GET', 'journal?after=1&count=3')).body).toMatchObject({
        complete: false,
        entries: { length: 2 },
      });
      expect((await ask('DELETE', 'journal')).status).toBe(204);
      expect((await ask('GET', 'journal')).body).toEqual({ complete: false, entries: [] });
      await call('event', 'd');
      expect((await ask('GET', 'journal')).body).toMatchObject({ entries: [{ number: 4 }] });
    }));
});

test('faults of a host are set and cleared while it runs', () =>
  withHost({}, async ({ ask, call }) => {
    const right = await call('event', 'a');
    const known = (await ask('GET', 'faults')).body;
    expect(known).toMatchObject({ set: [], known: expect.arrayContaining(['calls.host.event-acknowledged']) });
    await ask('PUT', 'faults', { faults: ['calls.host.event-acknowledged'] });
    expect(await call('event', 'b')).not.toBe(right);
    expect((await ask('DELETE', 'faults')).body).toMatchObject({ set: [] });
    expect(await call('event', 'c')).toBe(right);
    expect(await ask('PUT', 'faults', { faults: ['calls.host.event-acknowledgd'] })).toMatchObject({
      status: 400,
      body: { pointer: '/faults/0', detail: expect.stringContaining('did you mean "calls.host.event-acknowledged"?') },
    });
  }));

test('a reset takes script, journal, faults and clock back', () =>
  withHost({ script: [{ steps: [{ status: 503 }] }] }, async ({ ask, call }) => {
    expect([await call('email', 'a'), await call('email', 'b')]).toEqual([503, 200]);
    await ask('PUT', 'faults', { faults: ['control'] });
    const { now } = (await ask('POST', 'clock', { by: 86_400_000 })).body;
    expect((await ask('POST', 'clock', { run: true })).body).toMatchObject({ running: true });
    expect((await ask('POST', 'clock', { run: false })).body).toMatchObject({ running: false });
    expect((await ask('POST', 'reset')).status).toBe(204);
    expect(await call('email', 'c')).toBe(503);
    expect((await ask('GET', 'journal')).body['entries']).toHaveLength(1);
    expect((await ask('GET', 'faults')).body).toMatchObject({ set: [] });
    const clock = (await ask('GET', 'clock')).body;
    expect([clock['running'], Number(now) - Number(clock['now']) > 80_000_000]).toEqual([true, true]);
  }));

const outside = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

test.skipIf(outside === undefined)(
  'a host is controlled from this machine only, unless others were asked for',
  async () => {
    for (const [control, statuses] of [
      [true, [403, 403]],
      ['any', [401, 200]],
    ] as const) {
      await using host = await startExtensionHost({ control, listen: { host: '0.0.0.0' } });
      const statusFrom = async (address: string | undefined, path: string): Promise<number> =>
        (await fetch(`http://${address}:${host.port}/_control/${path}`)).status;
      expect([await statusFrom(outside, 'faults'), await statusFrom(outside, 'openapi.json')]).toEqual(statuses);
      expect(await statusFrom('127.0.0.1', 'openapi.json')).toBe(200);
    }
  },
);
