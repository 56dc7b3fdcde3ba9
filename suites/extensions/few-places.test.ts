import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import { planCases } from '../../judge/run/judge.ts';
import { catalogue } from '../catalogue.ts';

test.each([
  ['moved', 'controlled', 'the service'],
  ['real', 'real', undefined],
] as const)(
  'schedules take turns in %s time, where that costs nothing, or begin together',
  async (_time, mode, claim) => {
    await using server = await startReference();
    const { loaded } = server;
    const time = mode === 'real' ? { mode } : loaded.profile.time;
    const plan = planCases(catalogue, { ...loaded, profile: { ...loaded.profile, ...(time && { time }) } });
    expect(plan.claims?.('delivery.event.retry-gaps')).toBe(claim);
  },
);
