import { catalogue } from '../../suites/catalogue.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matches } from './glob.ts';
import { rulesOfShard, selectRules, SelectionError } from './selection.ts';

describe('selection', () => {
  test('nothing given selects every rule in the order of the contract', () => {
    expect(selectRules({}, catalogue.all)).toEqual(catalogue.all);
  });

  test('areas, patterns and level narrow each other', () => {
    const chosen = selectRules(
      { areas: ['paging', 'auth'], rules: ['paging.page*', 'reading.*'], levels: ['must'] },
      catalogue.all,
    );
    expect(chosen.length).toBeGreaterThan(0);
    expect(chosen.every((rule) => rule.id.startsWith('paging.page') && rule.level === 'must')).toBe(true);
  });

  test('a pattern without a match names the nearest rule', () => {
    expect(() => selectRules({ rules: ['paging.page-on.holds-the-rest'] }, catalogue.all)).toThrow(
      /did you mean "paging\.page-one\.holds-the-rest"/,
    );
    expect(() => selectRules({ rules: ['nothing.*'] }, catalogue.all)).toThrow(SelectionError);
  });

  test('every rule is selected by its own id and by every prefix of it with a star', () => {
    fc.assert(
      fc.property(fc.constantFrom(...catalogue.all), fc.nat(40), (rule, length) => {
        expect(selectRules({ rules: [rule.id] }, catalogue.all)).toEqual([rule]);
        expect(selectRules({ rules: [`${rule.id.slice(0, length)}*`] }, catalogue.all)).toContain(rule);
      }),
    );
  });
});

describe('matches', () => {
  test('a pattern without a star is equality, dots and brackets included', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(matches(one.replaceAll('*', ''), other)).toBe(one.replaceAll('*', '') === other);
      }),
    );
  });

  test('a star stands for any text, also none', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (head, middle, tail) => {
        const [left, right] = [head.replaceAll('*', ''), tail.replaceAll('*', '')];
        expect(matches(`${left}*${right}`, left + middle + right)).toBe(true);
      }),
    );
  });
});

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
