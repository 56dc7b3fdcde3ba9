import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { describe, describeBody } from './describe.ts';

test('a body of JSON is told as the value that it holds, any other as a text in quotes', () => {
  expect(describeBody('{"a":[1,"b"]}', 100)).toBe('{"a": [1, "b"]}');
  expect(describeBody('plain "text"', 100)).toBe('"plain \\"text\\""');
  expect(describeBody('"a"', 100)).toBe('"\\"a\\""');
});

test('whatever a body holds, it is told in the words for its value', () => {
  fc.assert(
    fc.property(fc.oneof(fc.object(), fc.array(fc.jsonValue())), (value) => {
      const body = JSON.stringify(value);
      expect(describeBody(body, 200)).toBe(describe(JSON.parse(body), 200));
    }),
  );
});
