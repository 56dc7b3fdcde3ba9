import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  everySpelling,
  jsonSpellings,
  numberSpellings,
  spelled,
  withEncodedIds,
  withTurnedQuery,
} from './spellings.ts';

describe('other spellings', () => {
  test('of JSON say the same', () => {
    assert(
      property(jsonValue(), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        for (const spelling of [...jsonSpellings, ...numberSpellings, everySpelling])
          expect(JSON.parse(spelled(plain, spelling))).toEqual(plain);
      }),
    );
  });

  test('differ from the plain one', () => {
    const value = { name: 'a/b', items: [{ one: 1, other: null }] };
    const texts = [...jsonSpellings, ...numberSpellings, everySpelling].map((spelling) => spelled(value, spelling));
    expect(new Set([JSON.stringify(value), ...texts]).size).toBe(texts.length + 1);
    expect(spelled({ a: 'b/c', d: 1 }, everySpelling)).toBe(
      ' \r\n\t{"\\u0064" \r\n\t: \r\n\t1 \r\n\t, \r\n\t"\\u0061" \r\n\t: \r\n\t"\\u0062\\/c" \r\n\t} \r\n\t',
    );
  });

  test('of numbers leave texts alone', () => {
    const texts = numberSpellings.map((spelling) => spelled([1, -7, 2.5, 2 ** 53 - 1, 42, '1'], spelling));
    expect(texts).toEqual([
      '[1.0,-7.0,2.5,9007199254740991.0,42.0,"1"]',
      '[10e-1,-70e-1,2.5e+0,90071992547409910e-1,420e-1,"1"]',
    ]);
  });

  test('of a query have its parameters in another order', () => {
    expect(withTurnedQuery('/a?one=1&two=2')).toBe('/a?two=2&one=1');
    expect(withTurnedQuery('/a')).toBe('/a');
  });

  test('of ids in a URL lead to the same', () => {
    const url = 'http://127.0.0.1/api/softtype/Document/d%3A42%2F/42?x=Document';
    const other = withEncodedIds(url, ['Document', 'd:42/', '42']);
    expect(other).toBe('http://127.0.0.1/api/softtype/Documen%74/d%3A42%2F/4%32?x=Document');
    expect(decodeURIComponent(other)).toBe(decodeURIComponent(url));
  });
});
