import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matches } from './glob.ts';

test('a star stands for any text, as in a regular expression', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 10 });
  fc.assert(
    fc.property(few, text, (pattern, whole) => {
      const parts = pattern.split('*').map((part) => part.replaceAll('.', String.raw`\.`));
      expect(matches(pattern, whole)).toBe(new RegExp(`^${parts.join('.*')}$`).test(whole));
    }),
    { numRuns: 2000 },
  );
});

test('many stars cost no time', () => {
  const before = performance.now();
  expect(matches(`${'*a'.repeat(60)}*b`, 'a'.repeat(200))).toBe(false);
  expect(matches(`${'*'.repeat(100_000)}z`, 'paging.link.present-above-ten')).toBe(false);
  expect(performance.now() - before).toBeLessThan(1000);
});
