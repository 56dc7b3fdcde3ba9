import { expect, test } from 'vitest';
import { groupsOf } from './times.ts';

const followMs = (): number => 1000;

/** Seconds of the calls in each group. */
function secondsOf(seconds: readonly number[], limit: number, deleted: number): readonly (readonly number[])[] {
  const calls = seconds.map((second) => ({ arrivedAt: second * 1000 }));
  return groupsOf(calls, { limit, deleted, followMs }).map((group) => group.map(({ arrivedAt }) => arrivedAt / 1000));
}

test('calls of a burst come in groups of as many as the limit', () => {
  expect(secondsOf([0, 0, 0, 60, 60, 60, 120], 3, 0)).toEqual([[0, 0, 0], [60, 60, 60], [120]]);
});

test('a deleted event may take a place in the queue, or none', () => {
  expect(secondsOf([0, 0, 0, 60, 60, 120, 120], 3, 1)).toEqual([
    [0, 0, 0],
    [60, 60],
    [120, 120],
  ]);
  expect(secondsOf([0, 0, 0, 60, 60, 60, 120], 3, 1)).toEqual([[0, 0, 0], [60, 60, 60], [120]]);
});

test('it takes no more places than there are deleted events', () => {
  expect(secondsOf([0, 0, 0, 60, 120, 120, 120], 3, 1)).toEqual([[0, 0, 0], [60, 120, 120], [120]]);
  expect(secondsOf([0, 0, 0, 60, 60, 120, 120, 180], 3, 1)).toEqual([
    [0, 0, 0],
    [60, 60],
    [120, 120, 180],
  ]);
});

test('they may take all places of a group', () => {
  expect(secondsOf([0, 120], 1, 1)).toEqual([[0], [], [120]]);
  expect(secondsOf([0, 0, 60, 180, 180], 2, 3)).toEqual([[0, 0], [60], [], [180, 180]]);
  expect(secondsOf([0, 120], 1, 0)).toEqual([[0], [120]]);
  expect(secondsOf([0, 0, 120], 2, 1)).toEqual([[0, 0], [120]]);
});
