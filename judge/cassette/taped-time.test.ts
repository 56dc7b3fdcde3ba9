import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
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
