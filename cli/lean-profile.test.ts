import { afterAll, beforeAll, expect, test } from 'vitest';
import { leanProfile } from '../fixtures/lean-profile.ts';
import { runCase } from '../judge/run-case.ts';
import { closeSession, openSession } from '../judge/session.ts';
import { catalogue } from '../suites/catalogue.ts';
import { startBoth, type Deployment } from './check/deployment.ts';

let deployment: Deployment;

beforeAll(async () => {
  deployment = await startBoth();
});
afterAll(() => deployment[Symbol.asyncDispose]());

/** No case and no request is ended before the test is. */
const patienceSeconds = 600;

test.concurrent.each(catalogue.all)('$id needs nothing of the profile but what its row names', async (rule) => {
  // a schedule moves the clock of its server, and a restart ends it, which others would not bear
  const isAlone = rule.test.seconds !== undefined || rule.needs.includes('restart-control');
  await using own = isAlone ? await startBoth() : undefined;
  const { loaded } = own ?? deployment;
  const lean = leanProfile(loaded.profile, rule.needs);
  const limits = { ...lean.limits, requestTimeoutSeconds: patienceSeconds };
  const session = openSession({ ...loaded, profile: { ...lean, limits } });
  const outcome = await runCase(rule, rule.test, { session, seed: 1, runs: 2, deadlineMs: patienceSeconds * 1000 });
  await closeSession(session);
  expect([outcome.verdict, outcome.reason]).toEqual([rule.level === 'observe' ? 'observed' : 'pass', undefined]);
});
