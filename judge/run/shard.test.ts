import { catalogue } from '../../suites/catalogue.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rulesOfShard } from './selection.ts';

const parts = fc.integer({ min: 1, max: 12 });
const selections = fc.subarray([...catalogue.all]);

test('the parts are the whole, and no rule is in two of them', () => {
  fc.assert(
    fc.property(selections, parts, (rules, of) => {
      const dealt = Array.from({ length: of }, (_, index) => rulesOfShard(rules, { index: index + 1, of }));
      expect(dealt.flat()).toHaveLength(rules.length);
      expect(new Set(dealt.flat())).toEqual(new Set(rules));
    }),
  );
});

test('rules and schedules are spread evenly, in the order of the selection', () => {
  fc.assert(
    fc.property(selections, parts, (rules, of) => {
      const dealt = Array.from({ length: of }, (_, index) => rulesOfShard(rules, { index: index + 1, of }));
      for (const counts of [
        dealt.map((own) => own.length),
        dealt.map((own) => own.filter(({ test }) => test.seconds !== undefined).length),
      ])
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      for (const own of dealt) expect(own).toEqual(rules.filter((rule) => own.includes(rule)));
    }),
  );
});
