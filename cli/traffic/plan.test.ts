import { describe, expect, test } from 'vitest';
import { shapeOf } from '../../simulator/traffic/arrivals.ts';
import type { Mix } from '../../simulator/traffic/mix.ts';
import { stageList } from '../values.ts';
import { planOf } from './plan.ts';

const mix: Mix = { mixVersion: 1, journeys: { reader: { weight: 1 } }, rampSeconds: 3, load: { rate: 7 } };
const stages = (...texts: readonly string[]): ReturnType<typeof stageList> =>
  texts.reduce<ReturnType<typeof stageList>>((before, text) => stageList(text, before), []);

describe('stages of the command line', () => {
  test('are the load: the highest is the full one, and each begins where the one before ended', () => {
    const plan = planOf({ stage: stages('30s:50', '2m:200', '10s:0') }, mix);
    expect(plan.load).toEqual({ model: 'open', rate: 200 });
    const shape = shapeOf(plan.mix, plan.rampMs, plan.durationMs);
    expect(shape.durationMs).toBe(160_000);
    expect([0, 15_000, 30_000, 90_000, 149_999].map((ms) => Math.round(shape.factorAt(ms) * 200))).toEqual([
      0, 25, 50, 125, 200,
    ]);
  });

  test('may be of users', () => {
    expect(planOf({ stage: stages('30s:5users', '1s:1user') }, mix).load).toEqual({ model: 'closed', users: 5 });
  });

  test.each([
    [['30s:50', '1s:4users'], 'each --stage to end at a rate'],
    [['30s:0'], 'rises above 0'],
  ])('that cannot be are told: %s', (texts, sentence) => {
    expect(() => planOf({ stage: stages(...texts) }, mix)).toThrow(sentence);
  });

  test.each(['30s', '30:50', '30s:', '30s:x', '30s:1.5users', ':5'])('are written as 30s:50, not as %s', (text) => {
    expect(() => stageList(text)).toThrow('Expected');
  });
});

test('arrivals by chance may stand in the mix or on the command line, which wins', () => {
  const load = { model: 'open', rate: 7 };
  expect(planOf({}, mix).load).toEqual(load);
  expect(planOf({ arrivals: 'poisson' }, mix).load).toEqual({ ...load, arrivals: 'poisson' });
  expect(planOf({}, { ...mix, arrivals: 'poisson' }).load).toEqual({ ...load, arrivals: 'poisson' });
  expect(planOf({ arrivals: 'even' }, { ...mix, arrivals: 'poisson' }).load).toEqual(load);
  expect(() => planOf({ arrivals: 'poisson', users: 3 }, mix)).toThrow('--arrivals is about a rate');
});
