import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('so many begin as may, the others when one ends, in the order of asking', async () => {
  const turns = new Turns(2);
  const begun: string[] = [];
  const ends = ['a', 'b', 'c', 'd', 'e'].map((name) => turns.take(() => begun.push(name)));
  expect(begun).toEqual(['a', 'b']);
  ends[2]?.();
  ends[0]?.();
  ends[0]?.();
  await expect.poll(() => begun).toEqual(['a', 'b', 'd']);
  ends[1]?.();
  await expect.poll(() => begun).toEqual(['a', 'b', 'd', 'e']);
});

test('a turn that was given back before it began is passed on', async () => {
  const turns = new Turns(1);
  const begun: string[] = [];
  const [first, second] = ['first', 'second', 'third'].map((name) => turns.take(() => begun.push(name)));
  first?.();
  second?.();
  await expect.poll(() => begun).toEqual(['first', 'third']);
});
