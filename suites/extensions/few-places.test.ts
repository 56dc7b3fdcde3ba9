import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import { planCases } from '../../judge/run/judge.ts';
import { catalogue } from '../catalogue.ts';

test.each([
  [6, 'the service'],
  [undefined, undefined],
])('schedules of moved time take turns where %s requests may be under way', async (concurrency, claim) => {
  await using server = await startReference();
  const { loaded } = server;
  const limits = { ...loaded.profile.limits, ...(concurrency !== undefined && { concurrency }) };
  const plan = planCases(catalogue, { ...loaded, profile: { ...loaded.profile, limits } });
  expect(plan.claims?.('delivery.validation.recovers')).toBe(claim);
});
