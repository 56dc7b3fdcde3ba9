import { expect, test } from 'vitest';
import type { Arrival } from '../../judge/host/arrival.ts';
import { type Begun, isTooLate } from './task-work.ts';

function taskOf(...came: readonly (readonly [kind: string, path: string, arrivedAt: number])[]): Begun {
  const arrivals = came.map(([kind, path, arrivedAt]) => ({ kind, path, arrivedAt }) as Arrival);
  const call = { envelope: { payload: { timeout: 30 } } };
  return { installation: { arrivals: () => arrivals }, call, calledAt: 0 } as unknown as Begun;
}

test.each([
  ['failed at once', ['status', '/dx/1/status/Failed', 500], false],
  ['failed as its time was over', ['status', '/dx/1/status/Failed', 16_000], true],
  ['canceled as its time was over', ['status', '/dx/1/status/Canceled', 16_000], true],
  ['completed late', ['status', '/dx/1/status/Completed', 16_000], false],
  ['begun late', ['download', '/fs/file/in.txt', 16_000], false],
] as const)('a task of which nothing came but that it %s', (_what, first, isLate) => {
  expect(isTooLate(taskOf(first))).toBe(isLate);
});
