import fc, { jsonValue } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deeplyEqual, firstDifference, jsonOf, ownMembers } from './json.ts';

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, shuffled(member)]),
  );
};

describe('deeplyEqual', () => {
  test('agrees with canonical JSON', () => {
    fc.assert(
      fc.property(jsonValue(), jsonValue(), (left, right) => {
        const canonical = (value: unknown): string =>
          JSON.stringify(value, (_key, part: unknown) =>
            typeof part === 'object' && part !== null && !Array.isArray(part)
              ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
              : part,
          );
        expect(deeplyEqual(left, right)).toBe(canonical(left) === canonical(right));
        expect(deeplyEqual(left, shuffled(left))).toBe(true);
      }),
    );
  });

  test.each([
    [{ a: 1 }, { a: 1, b: null }, '/b'],
    [{ a: [1, 2] }, { a: [2, 1] }, '/a/0'],
    [[1], [1, 2], '/1'],
    [{ 'a/b': { '~': 1 } }, { 'a/b': { '~': '1' } }, '/a~1b/~0'],
    [null, {}, ''],
    [[], {}, ''],
    [JSON.parse('{"__proto__":1}'), {}, '/__proto__'],
  ])('%j differs from %j at %s', (left, right, pointer) => {
    expect(firstDifference(left, right)?.pointer).toBe(pointer);
  });

  test('an absent member differs from null and from an unset one', () => {
    expect(deeplyEqual({ a: undefined }, {})).toBe(true);
    expect(deeplyEqual({ a: null }, {})).toBe(false);
  });
});

describe('jsonOf', () => {
  test('tells integers apart that one number would stand for, and keeps all others as numbers', () => {
    expect(jsonOf('[9007199254740993, -9007199254740993, 18446744073709551615]')).toEqual([
      '9007199254740993',
      '-9007199254740993',
      '18446744073709551615',
    ]);
    const numbers = '[9007199254740991, 9007199254740992, 12345678901234567000, 0.1234567890123456789]';
    expect(jsonOf(numbers)).toEqual(JSON.parse(numbers));
    expect(jsonOf('[720575940379287296, 720575940379287300]')).toEqual(['720575940379287296', 720575940379287300]);
    expect(jsonOf('"9007199254740993')).toBeUndefined();
  });
});

test('a member that is not there is nothing, whatever its name', () => {
  const members = ownMembers(JSON.parse('{ "__proto__": { "valueOf": 1 }, "length": 2 }'), { text: 'a' });
  const inherited = ['constructor', 'valueOf', 'toString'].map((name) => members[name]);
  expect(inherited).toEqual([undefined, undefined, undefined]);
  expect([members['length'], members['text']]).toEqual([2, 'a']);
});
