import { describe } from '../describe.ts';
import { deeplyEqual, firstDifference } from '../equality.ts';
import type { Reply } from '../exchange.ts';
import type { ValueExpectation } from '../expect.ts';
import type { Check } from './open-expect.ts';

interface Named<T> {
  readonly value: T;
  readonly name: string;
  readonly seenIn: Reply | undefined;
}

/** Assertions on a JSON value. */
export function valueExpectation<T>({ value, name, seenIn }: Named<T>, check: Check): ValueExpectation<T> {
  const assert = (holds: boolean, expected: string): void =>
    check(holds, `${name} to be ${expected}`, () => describe(value), seenIn);
  return {
    toEqual: (expected) => assertEqual({ value, name, seenIn }, expected, check),
    notToEqual: (other) => assert(!deeplyEqual(value, other), `other than ${describe(other)}`),
    toBeOneOf: (values) =>
      assert(
        values.some((one) => deeplyEqual(value, one)),
        `one of ${describe(values)}`,
      ),
    toBeAString: () => assert(typeof value === 'string', 'a string'),
    toBeAnInteger: () => assert(Number.isInteger(value), 'an integer'),
    toBeAnObject: () => assert(typeof value === 'object' && value !== null && !Array.isArray(value), 'an object'),
    toBeAnArray: () => assert(Array.isArray(value), 'an array'),
    toBePresent: () => assert(value !== undefined && value !== null, 'present'),
    toBeAbsent: () => assert(value === undefined, 'absent'),
    toSatisfy: (expected, predicate) => assert(predicate(value), expected),
  };
}

function assertEqual<T>({ value, name, seenIn }: Named<T>, expected: unknown, check: Check): void {
  const difference = firstDifference(value, expected);
  const place = difference?.pointer ?? '';
  const where = place === '' ? '' : ` (at ${place}: ${describe(difference?.right, 120)})`;
  const found = place === '' ? '' : ` (at ${place}: ${describe(difference?.left, 120)})`;
  check(difference === undefined, `${name} to be ${describe(expected)}${where}`, () => describe(value) + found, seenIn);
}
