import { afterAll, expect, test } from 'vitest';
import type { Profile } from '../contract/profile.ts';
import type { RuleId } from '../contract/rule.ts';
import { runCase } from '../judge/case/run-case.ts';
import { closeSession, openSession } from '../judge/run/session.ts';
import { catalogue } from '../suites/catalogue.ts';
import { startReference } from '../api/deployment.ts';

const deployment = await startReference();
afterAll(() => deployment[Symbol.asyncDispose]());

/** What the bundled server does not do, under the key that would bind it, and the rule that holds it to that. */
const untrue: readonly (readonly [key: string, RuleId, change: (profile: Profile) => Partial<Profile>])[] = [
  [
    'informationFilter.notNeededOn',
    'headers.information-filter.required-on-writes',
    () => ({ informationFilter: { default: {}, notNeededOn: ['multiCreate'] } }),
  ],
  [
    'auth.basicOnCoreRoutes',
    'auth.pat.basic-on-core-routes',
    ({ auth }) => ({ auth: { ...auth, basicOnCoreRoutes: false } }),
  ],
  ['expect.methodNotAllowed', 'reading.error.body-shape', () => ({ expect: { methodNotAllowed: 404 } })],
  ['expect.malformedJson', 'registration.body.malformed-json', () => ({ expect: { malformedJson: 422 } })],
  ['expect.invalidBody', 'reading.create.invalid-content', () => ({ expect: { invalidBody: 404 } })],
  [
    'expect.invalidBody',
    'patch.content-type.plain-json-is-not-operations',
    () => ({ expect: { invalidBody: 404, patchRouteMismatch: 415 } }),
  ],
  [
    'expect.patchRouteMismatch',
    'patch.content-type.plain-json-is-not-operations',
    () => ({ expect: { patchRouteMismatch: 404 } }),
  ],
  [
    'expect.registrationInvalid',
    'registration.simple.missing-required-refused',
    () => ({ expect: { registrationInvalid: 422 } }),
  ],
  [
    'expect.deleteVersionHeader',
    'versioning.header.only-for-put-and-patch',
    () => ({ expect: { deleteVersionHeader: 'needed' } }),
  ],
  [
    'files.maxStreamSize',
    'files.stream.above-guidance',
    ({ files = { areas: {} } }) => ({ files: { ...files, maxStreamSize: 1000 } }),
  ],
];

test.concurrent.each(untrue)('%s binds what %s records', async (key, id, change) => {
  expect(await expectationOf(id, (profile) => profile)).toBeUndefined();
  expect(await expectationOf(id, change)).toMatch(new RegExp(`as ${key} of the profile says$`));
});

test.each<readonly [RuleId, 'collection' | 'openApi']>([
  ['collection.admin.is-served', 'collection'],
  ['openapi.dynamic.is-served', 'openApi'],
])('%s holds %s to going without the information filter', async (id, route) => {
  const named = { informationFilter: { default: {}, notNeededOn: [route] } };
  expect(await expectationOf(id, () => named)).toBeUndefined();
});

let runs = 0;

/** What the rule expected and did not find; undefined where it holds. */
async function expectationOf(id: RuleId, change: (profile: Profile) => Partial<Profile>): Promise<string | undefined> {
  const { loaded } = deployment;
  runs += 1;
  const session = openSession({ ...loaded, profile: { ...loaded.profile, ...change(loaded.profile) } }, ` ${runs}`);
  const rule = catalogue.get(id);
  const outcome = await runCase(rule, rule.test, { session, seed: 1, runs: 1, deadlineMs: 60_000 });
  await closeSession(session);
  expect(outcome.verdict).toMatch(/^(?:pass|observed|fail|warn)$/);
  return outcome.violation?.expected;
}
