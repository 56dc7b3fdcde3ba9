import { expect, onTestFinished, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import { Base } from '../../judge/run/base.ts';
import { planCases } from '../../judge/run/judge.ts';
import { furtherHabits } from '../../variants/further-habits.fixture.ts';
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

test.each([
  ['real', 8, true],
  ['real', undefined, false],
  ['controlled', 8, false],
] as const)(
  'calls are left unanswered last, in %s time by a service that makes %s at once: %s',
  async (mode, callsAtOnce, isLast) => {
    await using server = await startReference();
    const { profile } = server.loaded;
    const time = mode === 'real' ? { mode } : profile.time;
    const expectations = { ...profile.expect, ...(callsAtOnce && { callsAtOnce }) };
    const plan = planCases(catalogue, {
      ...server.loaded,
      profile: { ...profile, ...(time && { time }), expect: expectations },
    });
    expect(plan.comesLast?.('delivery.timeout.default')).toBe(isLast);
    expect(plan.comesLast?.('delivery.event.retry-gaps')).toBe(false);
  },
);

test.each([
  ['eight calls at once', [furtherHabits.eightPlaces], 8],
  ['any number of calls at once', [], undefined],
] as const)('that a service makes %s is found out in real time', async (_what, faults, found) => {
  await using server = await startReference({ faults });
  const loaded = { ...server.loaded, profile: { ...server.loaded.profile, time: { mode: 'real' } as const } };
  const base = new Base({ loaded, seed: 1 }, new AbortController().signal, new Set(['extension-listener']));
  onTestFinished(() => base.close());
  expect(await base.preflight()).toBeUndefined();
  expect(base.completed().expect?.callsAtOnce).toBe(found);
});
