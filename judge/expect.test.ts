import { expect, test } from 'vitest';
import { openExpect } from './expect.ts';
import { CaseRecord } from './case/record.ts';
import { Violation } from './violation.ts';

function violationOf(value: unknown, right: unknown): Violation {
  try {
    openExpect(new CaseRecord(true))(value, 'the text').toEqual(right);
  } catch (error) {
    if (error instanceof Violation) return error;
    throw error;
  }
  throw new Error('they are equal');
}

test('long texts that begin alike are shown where they part', () => {
  const same = '€'.repeat(700);
  const { expected, actual } = violationOf(`${same}?x`, `${same}€x`);
  expect(expected).toMatch(/ \(at character 701: "€" U\+20AC\)$/);
  expect(actual).toMatch(/ \(at character 701: "\?"\)$/);
});

test('what differs within sight is shown as it is', () => {
  expect(violationOf('one', 'two')).toMatchObject({ expected: 'the text to be "two"', actual: '"one"' });
  const { actual } = violationOf({ a: { b: 'one' } }, { a: { b: 'two' } });
  expect(actual).toBe('{"a": {"b": "one"}} (at /a/b: "one")');
});

test('texts that look alike are told apart by the number of a letter', () => {
  const [composed, apart] = ['caf\u00e9', 'cafe\u0301'];
  expect(violationOf(apart, composed)).toMatchObject({
    expected: `the text to be "${composed}" (at character 4: "\u00e9" U+00E9)`,
    actual: `"${apart}" (at character 4: "e")`,
  });
  expect(violationOf(['a\u00a0b'], ['a b'])).toMatchObject({
    expected: 'the text to be ["a b"] (at /0: "a b", character 2: " ")',
    actual: '["a\u00a0b"] (at /0: "a\u00a0b", character 2: "\u00a0" U+00A0)',
  });
  expect(violationOf('a', undefined).actual).toBe('"a"');
});
