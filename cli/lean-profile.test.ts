import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Need } from '../contract/needs.ts';
import { routes } from '../contract/routes.ts';
import { leanProfile } from '../fixtures/lean-profile.ts';
import { runCase } from '../judge/run-case.ts';
import { closeSession, openSession } from '../judge/session.ts';
import { catalogue } from '../suites/catalogue.ts';
import { ConductLog, RouteNames } from '../judge/conduct.ts';
import { startBoth, type Deployment } from './check/deployment.ts';

let deployment: Deployment;

beforeAll(async () => {
  deployment = await startBoth();
});
afterAll(() => deployment[Symbol.asyncDispose]());

/** Documented routes that some deployments do without, by the need that names them. */
const partial: Readonly<Partial<Record<Need, string>>> = {
  operations: `PATCH ${routes.operations}`,
  batch: `POST ${routes.batch}`,
  'multi-create': `POST ${routes.multiCreate}`,
};

/** No case and no request is ended before the test is. */
const patienceSeconds = 600;

test.concurrent.each(catalogue.all)('$id needs nothing of the profile but what its row names', async (rule) => {
  // a schedule moves the clock of its server, which others would not bear
  await using own = rule.test.seconds === undefined ? undefined : await startBoth();
  const { loaded } = own ?? deployment;
  const lean = leanProfile(loaded.profile, rule.needs);
  const limits = { ...lean.limits, requestTimeoutSeconds: patienceSeconds };
  const session = openSession({ ...loaded, profile: { ...lean, limits } });
  const conduct = new ConductLog(new RouteNames(lean));
  const deadlineMs = patienceSeconds * 1000;
  const outcome = await runCase(rule, rule.test, { session, seed: 1, runs: 2, deadlineMs, conduct });
  await closeSession(session);
  expect([outcome.verdict, outcome.reason]).toEqual([rule.level === 'observe' ? 'observed' : 'pass', undefined]);
  const { requests } = conduct.tell();
  const unnamed = (Object.keys(partial) as Need[]).filter((need) => !rule.needs.includes(need));
  expect(unnamed.filter((need) => requests.includes(partial[need] ?? ''))).toEqual([]);
});
