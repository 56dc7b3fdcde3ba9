import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { within } from '../time/real-time.ts';
import { TapedControlledTime } from './taped-time.ts';

test('who begins before the first time was told goes on in the time that was told', async () => {
  const time = new TapedControlledTime();
  const seen: number[] = [];
  const begun = time.begin().then(() => seen.push(time.now()));
  await setImmediate();
  expect(seen).toEqual([]);
  time.set(5_000_000, false);
  await begun;
  expect(seen).toEqual([5_000_000]);
});

test.each([
  ['a guest keeps nobody asleep', true, 'woken'],
  ['whoever takes part otherwise keeps those asleep who sleep', false, undefined],
] as const)('in a time that stands still %s', async (_who, isGuest, seen) => {
  const time = new TapedControlledTime();
  time.set(5_000_000, false);
  const { signal } = new AbortController();
  const participant = await time.join(signal, { isGuest });
  const slept = time.sleep(100, signal).then(() => 'woken');
  expect(await within(400, slept)).toBe(seen);
  participant.leave();
  await slept;
});
