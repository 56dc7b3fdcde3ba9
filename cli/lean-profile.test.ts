import { catalogue } from '../suites/catalogue.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leanProfile } from '../fixtures/lean-profile.ts';
import { runCase } from '../judge/run-case.ts';
import { closeSession, openSession } from '../judge/session.ts';
import { startBoth, type Deployment } from './check/deployment.ts';

let deployment: Deployment;

beforeAll(async () => {
  deployment = await startBoth();
});
afterAll(() => deployment[Symbol.asyncDispose]());

const built = catalogue.all.filter(({ id }) => catalogue.get(id).test !== undefined);

test.concurrent.each(built)('$id needs nothing of the profile but what its row names', async (rule) => {
  const judged = catalogue.get(rule.id).test;
  if (judged === undefined) throw new Error('a built rule has a case');
  // a schedule moves the clock of its server, which others would not bear
  await using own = judged.seconds === undefined ? undefined : await startBoth();
  const { loaded } = own ?? deployment;
  const session = openSession({ ...loaded, profile: leanProfile(loaded.profile, rule.needs) });
  const outcome = await runCase(rule, judged, { session, seed: 1, runs: 2, deadlineMs: 20_000 });
  await closeSession(session);
  expect([outcome.verdict, outcome.reason]).toEqual([rule.level === 'observe' ? 'observed' : 'pass', undefined]);
});
