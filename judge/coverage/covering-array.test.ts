import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeOf, combinationsIn, conditionsOf, isPossible, possibleCodes } from '../../contract/coverage/conditions.ts';
import { coveringCodes } from './covering-array.ts';

const possible = possibleCodes();
const someCodes = fc.uniqueArray(fc.constantFrom(...possible), { minLength: 1, maxLength: 200 });

describe('a covering array', () => {
  test('has every pair of the codes that it is made from, none twice, and no other code', () => {
    fc.assert(
      fc.property(someCodes, (codes) => {
        const chosen = coveringCodes([codes]);
        expect(combinationsIn(chosen, 2)).toEqual(combinationsIn(codes, 2));
        expect(new Set(chosen).size).toBe(chosen.length);
        expect(chosen.every((code) => codes.includes(code))).toBe(true);
      }),
    );
  });

  test('takes a pair from the first list that has it, and none that is covered already', () => {
    fc.assert(
      fc.property(someCodes, someCodes, someCodes, (first, second, covered) => {
        const chosen = coveringCodes([first, second], covered);
        expect(combinationsIn([...chosen, ...covered], 2)).toEqual(
          combinationsIn([...first, ...second, ...covered], 2),
        );
        const ofFirst = coveringCodes([first], covered);
        expect(chosen.slice(0, ofFirst.length)).toEqual(ofFirst);
        expect(coveringCodes([first], first)).toEqual([]);
      }),
    );
  });

  test('of the whole table is small', () => {
    const chosen = coveringCodes([possible]);
    expect(combinationsIn(chosen, 2)).toEqual(combinationsIn(possible, 2));
    expect(chosen.length).toBeLessThan(possible.length / 40);
  });
});

describe('a code', () => {
  test('tells its conditions and is told by them', () => {
    expect(possible.map((code) => codeOf(conditionsOf(code)))).toEqual(possible);
    expect(possible.every(isPossible)).toBe(true);
  });

  test('that names nothing of the table is refused', () => {
    expect(() => conditionsOf('0')).toThrow(RangeError);
    expect(() => conditionsOf('9999999999')).toThrow(RangeError);
  });
});
