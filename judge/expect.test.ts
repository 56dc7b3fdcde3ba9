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
  expect(expected).toMatch(/ \(at character 701: "€"\)$/);
  expect(actual).toMatch(/ \(at character 701: "\?"\)$/);
});

test('what differs within sight is shown as it is', () => {
  expect(violationOf('one', 'two')).toMatchObject({ expected: 'the text to be "two"', actual: '"one"' });
  const { actual } = violationOf({ a: { b: 'one' } }, { a: { b: 'two' } });
  expect(actual).toBe('{"a": {"b": "one"}} (at /a/b: "one")');
});
