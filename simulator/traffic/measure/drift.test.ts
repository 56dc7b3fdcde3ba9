import { expect, test } from 'vitest';
import type { MinuteSummary } from '../../../contract/schemas/traffic.ts';
import { randomFrom } from '../chance.ts';
import { madeUp } from '../judging/made-up.fixture.ts';
import { driftOf } from './drift.ts';
import { Tally } from './tally.ts';

/** Minutes whose p99 scatters by a tenth and rises by so many ms a minute. */
function minutesOf(count: number, rise: number, seed: number): readonly MinuteSummary[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, minute) => ({
    minute,
    requests: 100,
    errors: 0,
    p50Ms: 10,
    p99Ms: 50 + minute * rise + (random() - 0.5) * 10,
    maxMs: 100,
  }));
}

test('a rise of 0.2 ms a minute on 50 ms is told, and that it is no chance', () => {
  const { perHourPercent = 0, chance, minutes } = driftOf(minutesOf(90, 0.2, 1), 0) ?? {};
  expect(minutes).toBe(90);
  // 12 ms an hour on a median of 59 ms
  expect(Math.abs(perHourPercent - 20)).toBeLessThan(4);
  expect(chance).toBeLessThan(0.001);
});

test('of minutes that only scatter one in twenty runs is told to drift', () => {
  const told = Array.from({ length: 200 }, (_, seed) => driftOf(minutesOf(30, 0, seed), 0)).filter(
    (drift) => (drift?.chance ?? 1) < 0.05,
  );
  expect(told.length).toBeGreaterThan(2);
  expect(told.length).toBeLessThan(22);
});

test('one bad minute is no drift, the ramp does not count, and five minutes say nothing', () => {
  const flat = minutesOf(20, 0, 3);
  const bad = flat.map((one) => (one.minute === 18 ? { ...one, p99Ms: 5000 } : one));
  expect(driftOf(bad, 0)?.chance).toBeGreaterThan(0.05);
  expect(driftOf(flat, 4)?.minutes).toBe(16);
  expect(driftOf(flat.slice(0, 5), 0)).toBeUndefined();
});

test('minutes hold every latency of their seconds', () => {
  const tally = new Tally(0);
  for (let endedAt = 0; endedAt <= 130_000; endedAt += 100)
    tally.exchange(madeUp({ dueAt: endedAt - (endedAt < 60_000 ? 5 : 50), sentAt: endedAt, endedAt }));
  expect(tally.minutes()).toMatchObject([
    { minute: 0, requests: 600, p50Ms: 5, p99Ms: 5, maxMs: 5 },
    { minute: 1, requests: 600, p50Ms: expect.closeTo(50, 0), maxMs: 50 },
  ]);
});
