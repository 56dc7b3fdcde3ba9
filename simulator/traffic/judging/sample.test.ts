import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampler } from './sample.ts';

const keys = Array.from({ length: 20_000 }, (_, index) => `${index % 200}/${Math.floor(index / 200)}`);

test('takes about the share that it is asked for, and the same keys each time', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (ratio) => {
      const taken = keys.filter(sampler(ratio));
      expect(Math.abs(taken.length / keys.length - ratio)).toBeLessThan(0.02);
      expect(keys.filter(sampler(ratio))).toEqual(taken);
    }),
    { numRuns: 20 },
  );
});

test('what a smaller share takes a greater one takes as well', () => {
  const [small, great] = [sampler(0.2), sampler(0.5)];
  expect(keys.filter((key) => small(key) && !great(key))).toEqual([]);
});

test('all and nothing', () => {
  expect(keys.every(sampler(1))).toBe(true);
  expect(keys.some(sampler(0))).toBe(false);
});
