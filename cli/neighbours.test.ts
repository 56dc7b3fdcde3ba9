import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { type Deployment, startReference } from '../api/deployment.ts';
import { headerNames } from '../contract/names.ts';
import type { RuleId } from '../contract/rule.ts';
import { readConducts } from './conducts.ts';
import { planCases } from '../judge/run/judge.ts';
import { type ExtensionHost, startExtensionHost } from '../simulator/extension/host.ts';
import { catalogue } from '../suites/catalogue.ts';
import { replaces } from '../variants/breaks.ts';
import { createVariant } from '../variants/create-variant.ts';
import { creationsWait, latestValidationAsked } from '../variants/habits.fixture.ts';
import { judgeTarget } from './check/judge-target.ts';
import { captureOutput } from './output.fixture.ts';

// Instead of each pair of cases both ways: a neighbour that has registered what any case registers, of each kind, and goes on using it, lives
// beside every case that registers, triggers or promotes. Neither may notice the other.

const touching = /\/api\/admin\/|maturityAction|externalE|externalAction|\/dx|acquireAccessToken/;
const conducts = readConducts();
const rules = catalogue.all
  .filter(({ id, side }) => side === 'service' && conducts[id]?.requests.some((request) => touching.test(request)))
  .map(({ id }) => id);

/** Objects that each validator was asked about, by whoever promoted them. */
const askedAbout = new Map<string, { readonly limit: number; readonly objects: Set<string> }>();

const witness = replaces('validation', 'askValidator', (right, areas, call, object, validator) => {
  const { rateLimitNumberOfExecutions: limit } = validator.callee;
  const seen = askedAbout.get(validator.registrationId) ?? { limit, objects: new Set() };
  askedAbout.set(validator.registrationId, seen);
  seen.objects.add(object.oid);
  return right(areas, call, object, validator);
});

let target: Deployment;
let host: ExtensionHost;
let neighbour: Neighbour;
const out = makeFolder();

beforeAll(async () => {
  target = await startReference({}, (options) => createVariant({ ...options, faults: [witness] }));
  host = await startExtensionHost({ records: recordsOfEachType });
  neighbour = await settle(target.loaded.profile.baseUrl, host);
});

afterAll(async () => {
  await host.close();
  await target[Symbol.asyncDispose]();
});

test('a case and a neighbour that registers, triggers and promotes all the time do not notice each other', async () => {
  const { secondsOf, restarts = () => false } = planCases(catalogue, target.loaded);
  const ordinary = rules.filter((rule) => secondsOf(rule) === undefined && !restarts(rule));
  expect(ordinary.length).toBeGreaterThan(150);
  const over = new AbortController();
  const living = neighbour.live(over.signal);
  expect(await notKept(ordinary)).toEqual([]);
  over.abort();
  expect(await living).toEqual([]);
});

test('schedules do not notice what a neighbour has registered, nor each other', async () => {
  const { secondsOf } = planCases(catalogue, target.loaded);
  expect(await notKept(rules.filter((rule) => secondsOf(rule) !== undefined))).toEqual([]);
});

test('a validator that may be asked seldom is asked about objects of its own case only', () => {
  const seldom = [...askedAbout.values()].filter(({ limit }) => limit < 100);
  expect(seldom.length).toBeGreaterThan(0);
  expect(seldom.filter(({ objects }) => objects.size > 1)).toEqual([]);
});

test.each([
  ['one of several validators is asked, cases do not take it from each other', () => latestValidationAsked],
  ['others wait for a validation that is under way, cases do not wait for each other in vain', creationsWait],
])('where %s', async (_habit, habit) => {
  const own = await startReference({}, (options) => createVariant({ ...options, faults: [habit()] }));
  await using _own = own;
  const registering = catalogue.all.filter(
    ({ needs, side }) => side === 'service' && needs.includes('extension-listener'),
  );
  const { duringValidation: _, ...foundOut } = own.loaded.profile.expect ?? {};
  const loaded = { ...own.loaded, profile: { ...own.loaded.profile, expect: foundOut } };
  expect(
    await notKept(
      registering.map(({ id }) => id),
      { ...own, loaded },
    ),
  ).toEqual([]);
});

const recordsOfEachType = ['Event', 'Validation', 'Task', 'Action', 'Email'].map((kind) => ({
  id: `neighbour-${kind}`,
  version: '1.0.0',
  name: `Neighbour ${kind}`,
  endpoint: `/${kind}`,
  extensionType: kind === 'Email' ? 'Email' : `External${kind}`,
  category: 'neighbour',
  rateLimitNumberOfExecutions: 100_000,
  ...(kind === 'Validation' && {
    capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document', 'Part', 'Requirement', 'ChangeRequest'] }],
  }),
}));

/** Somebody else at the same service. */
interface Neighbour {
  /** Does one thing after another until told to end. @returns what it had not expected */
  live(over: AbortSignal): Promise<readonly string[]>;
}

async function settle(baseUrl: string, { url: hostUri }: ExtensionHost): Promise<Neighbour> {
  const ask = async (pat: string, method: string, path: string, body?: unknown, headers = {}): Promise<Response> =>
    fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${pat}`,
        [headerNames.informationFilter]: btoa('{}'),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const { editor, administrator } = target.loaded.profile.identities;
  const edit = ask.bind(undefined, editor?.pat ?? '');
  const administer = ask.bind(undefined, administrator?.pat ?? '');
  const key = btoa('the symmetric key of the neighbour, which nobody else has...');
  const registered = await administer('POST', '/api/admin/svcExtension', { hostUri, apiKey: key, tokenLifeTime: 60 });
  const { id: registrationId } = (await registered.json()) as { readonly id: string };
  const promote = (oid: string, level: string): string =>
    `/api/space/main/maturityAction/promote/${oid}/release/${level}`;
  const named = (type: string) => ({ registrationId, recordId: `neighbour-${type}` });
  const made = async (): Promise<string> => {
    const answer = await edit('POST', '/api/space/main/softtype/Document/documentInput', { title: 'of the neighbour' });
    return answer.headers.get('location')?.split('/').at(-1) ?? '';
  };
  const endpointOf = (id: string) => ({
    url: `${hostUri}/Event`,
    id,
    method: 'POST',
    category: 'neighbour',
    headers: [{ name: 'content-type', value: 'application/json' }],
    rateLimitNumberOfExecutions: 100_000,
    tokenLifeTime: 60,
  });
  const deeds: readonly (readonly [what: string, status: number, deed: (round: number) => Promise<Response>])[] = [
    [
      'promote',
      204,
      async () => edit('PUT', promote(await made(), 'engineering'), undefined, { 'svc-uoiversion': '1' }),
    ],
    [
      'batch',
      200,
      async () => {
        const oid = await made();
        const operation = (level: string, version: number) => ({
          method: 'PUT',
          href: promote(oid, level),
          headers: { 'Svc-UOIVersion': version },
        });
        return edit('POST', '/api/space/main/batch', [operation('engineering', 1), operation('approval', 2)]);
      },
    ],
    ['event', 201, () => edit('POST', '/api/space/main/externalEvent', { ...named('Event'), contentPayload: {} })],
    [
      'email',
      202,
      () =>
        edit('POST', '/api/space/main/externalEmail', {
          ...named('Email'),
          to: 'a@example.com',
          subject: 's',
          body: 'b',
        }),
    ],
    [
      'task',
      201,
      () => edit('POST', '/api/space/main/dx', { ...named('Task'), inputPath: '/neighbour.csv', taskSettings: {} }),
    ],
    [
      'action',
      200,
      () => edit('POST', '/api/space/main/externalAction/neighbour-Action', { kind: 'ribbon', registrationId }),
    ],
    ['endpoint', 201, (round) => administer('POST', '/api/admin/externalEndpoint', endpointOf(`neighbour-${round}`))],
    [
      'trusted endpoint',
      201,
      (round) => administer('POST', '/api/admin/trustedExternalEndpoint', endpointOf(`trusted-neighbour-${round}`)),
    ],
    [
      'endpoint called',
      201,
      (round) =>
        edit('POST', '/api/space/main/externalEvent', { endpointId: `trusted-neighbour-${round}`, contentPayload: {} }),
    ],
  ];
  return {
    live: async (over) => {
      const surprises: string[] = [];
      for (let round = 1; !over.aborted; round += 1)
        for (const [what, status, deed] of deeds) {
          const answer = await deed(round);
          const text = await answer.text();
          if (answer.status !== status) surprises.push(`${what}: ${answer.status} ${text}`);
        }
      return surprises;
    },
  };
}

/** The rules that are not kept beside the neighbour, and why. */
async function notKept(ids: readonly RuleId[], { loaded }: Deployment = target): Promise<readonly string[]> {
  const judging = {
    options: { out, quiet: true as const },
    run: { loaded, rules: ids, seed: 7, runs: 1 },
    startedAt: performance.now(),
    signal: new AbortController().signal,
  };
  await captureOutput(() => judgeTarget(judging));
  return readFileSync(join(out, 'outcomes.ndjson'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"verdict"'))
    .map((line) => JSON.parse(line))
    .filter(({ verdict }) => !['pass', 'observed'].includes(verdict))
    .map(({ rule, verdict, reason, violation }) => `${verdict} ${rule}: ${reason ?? JSON.stringify(violation)}`);
}
