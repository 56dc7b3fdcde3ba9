import { expect, test } from 'vitest';
import { CaseRecord } from '../case/record.ts';
import { Clock } from './clock.ts';
import type { TimeKeeper } from './keeper.ts';
import { type OpenCall, takenUntil } from './places.ts';

const long = (ends: readonly (number | undefined)[]): readonly OpenCall[] =>
  ends.map((endedAt) => ({ arrivedAt: 0, ...(endedAt !== undefined && { endedAt }) }));

test.each([
  ['nobody is called', [], 1000],
  ['three calls are open', [5000, 5000, 5000], 1000],
  ['the first of four ends', [2000, 5000, 5000, undefined], 2000],
  ['the first of five ends', [2000, 3000, 5000, 5000, 5000], 2000],
  ['both of six end', [2000, 2000, 5000, 5000, 5000, 5000], 2000],
  ['none of four ends', [undefined, undefined, undefined, undefined], 4000],
])('places are taken until one is free: %s', (_, ends, until) => {
  expect(takenUntil(() => long(ends), 1000, 4000)).toBe(until);
});

test('fewer calls than were open at once before leave a place', () => {
  const before = Array.from({ length: 5 }, () => ({ arrivedAt: 0, endedAt: 500 }));
  const open = Array.from({ length: 4 }, () => ({ arrivedAt: 600, endedAt: 5000 }));
  expect(takenUntil(() => [...before, ...open], 1000, 4000)).toBe(1000);
});

test('a place that the next in the queue takes at once was not free', () => {
  const calls = [...long([2000, 6000, 6000, 6000]), { arrivedAt: 2040, endedAt: 3000 }];
  expect(takenUntil(() => calls, 1000, 4000)).toBe(3000);
});

function clockBeside(ends: readonly number[]): Clock {
  const keeper: TimeKeeper = {
    controlled: true,
    now: () => 10_000,
    sleep: () => Promise.reject(new Error('nobody sleeps here')),
    begin: async () => undefined,
    watch: () => undefined,
    join: () => Promise.reject(new Error('nobody takes part here')),
    keptBetween: () => ({ stalledMs: 0, slowMs: 0 }),
    close: async () => undefined,
  };
  return new Clock(keeper, new CaseRecord(true), { openCalls: () => long(ends) });
}

test('a retry is on time when it goes out as soon as one of many other calls has ended', () => {
  const calls = [
    { arrivedAt: 500, endedAt: 1000 },
    { arrivedAt: 5000, endedAt: 5010 },
  ];
  expect(() => clockBeside([5000, 9000, 9000, 9000]).expectGaps(calls, [2000])).not.toThrow();
  expect(() => clockBeside([4000, 9000, 9000, 9000]).expectGaps(calls, [2000])).toThrow('late');
  expect(() => clockBeside([5000, 9000, 9000]).expectGaps(calls, [2000])).toThrow('late');
});
