import { describe } from './describe.ts';
import type { Reply } from './exchange.ts';
import type { CaseRecord } from './record.ts';
import type { Snapshot } from './target.ts';
import { Violation } from './violation.ts';
import { firstDifference, deeplyEqual, isObject } from './json.ts';

/** Assertions on one reply. */
interface ReplyExpectation {
  /** The status is that one, or one of those. */
  toAnswer(...statuses: readonly number[]): void;
  /** The status is 2xx. */
  toSucceed(): void;
  /** The status is 400 or above. */
  toBeRefused(): void;
  /** The status is not 2xx (and not 304). */
  notToSucceed(): void;
  /** The header is present; returns its text. */
  toCarry(header: string): string;
}

/** Assertions on one value. */
interface ValueExpectation<T> {
  /** Deep equality of JSON values; member order does not matter. */
  toEqual(expected: unknown): void;
  notToEqual(other: unknown): void;
  toBeOneOf(values: readonly unknown[]): void;
  toBeAString(): void;
  toBeAnInteger(): void;
  toBeAnObject(): void;
  toBeAnArray(): void;
  toBePresent(): void;
  toBeAbsent(): void;
  /** `expected` says in words what the predicate demands. */
  toSatisfy(expected: string, predicate: (value: T) => boolean): void;
}

export interface Expect {
  (reply: Reply): ReplyExpectation;
  /** @param name what the value is, in words that stand in the report: `version of the page` */
  <T>(value: T, name: string, seenIn?: Reply): ValueExpectation<T>;
  /** Both snapshots are equal: nothing changed. */
  unchanged(before: Snapshot, after: Snapshot): void;
}

interface Named<T> {
  readonly value: T;
  readonly name: string;
  readonly seenIn: Reply | undefined;
}

/** Counts an assertion and throws a Violation unless it holds. */
export type Check = (holds: boolean, expected: string, actual: () => string, reply?: Reply) => void;

/** The assertions of one case; every breach carries what was sent up to then. */
export function openExpect(record: CaseRecord): Expect {
  const check: Check = (holds, expected, actual, reply) => {
    record.assertions += 1;
    if (!holds) throw new Violation(expected, actual(), reply, { history: record.history(reply?.exchange) });
  };

  function expect(reply: Reply): ReplyExpectation;
  function expect<T>(value: T, name: string, seenIn?: Reply): ValueExpectation<T>;
  function expect<T>(value: T, name?: string, seenIn?: Reply): ReplyExpectation | ValueExpectation<T> {
    return name === undefined
      ? replyExpectation(value as Reply, check)
      : valueExpectation({ value, name, seenIn }, check);
  }
  return Object.assign(expect, {
    unchanged: (before: Snapshot, after: Snapshot) => assertUnchanged(before, after, check),
  });
}

function assertUnchanged(before: Snapshot, after: Snapshot, check: Check): void {
  const difference = firstDifference(contentOf(before), contentOf(after));
  const place = difference?.pointer ?? '';
  check(
    difference === undefined,
    `the object unchanged${place === '' ? '' : `, ${place} still ${describe(difference?.left)}`}`,
    () => `${place === '' ? 'another object' : place} now ${describe(difference?.right)}`,
    after.reply,
  );
}

function contentOf({ version, oid, members, arrays }: Snapshot): object {
  return { version, oid, members, arrays };
}

/** Assertions on the status and headers of a reply. */
function replyExpectation(reply: Reply, check: Check): ReplyExpectation {
  const { status } = reply;
  const answered = (): string => `status ${status}${reply.text === '' ? '' : ` with ${describe(reply.text, 200)}`}`;
  const assert = (holds: boolean, expected: string): void => check(holds, expected, answered, reply);
  const succeeded = status >= 200 && status < 300;
  return {
    toAnswer: (...statuses) => assert(statuses.includes(status), `status ${statuses.join(' or ')}`),
    toSucceed: () => assert(succeeded, 'a status of 2xx'),
    toBeRefused: () => assert(status >= 400, 'a status of 400 or above'),
    notToSucceed: () => assert(!succeeded && status !== 304, 'a status other than 2xx and 304'),
    toCarry: (header) => {
      const value = reply.headers[header.toLowerCase()];
      check(
        value !== undefined,
        `a header ${header}`,
        () => `only ${Object.keys(reply.headers).join(', ') || 'no headers'}`,
        reply,
      );
      return value ?? '';
    },
  };
}

/** Assertions on a JSON value. */
function valueExpectation<T>({ value, name, seenIn }: Named<T>, check: Check): ValueExpectation<T> {
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
    toBeAnObject: () => assert(isObject(value), 'an object'),
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
