import { judgeRead, type Known, type Point, type Read } from '../contract/judge-read.ts';
import type { RuleId } from '../contract/rule.ts';
import { withoutValues } from './case/conduct.ts';
import { describe, describeBody } from './describe.ts';
import { isSuccess, type Reply } from './exchange.ts';
import type { CaseRecord } from './case/record.ts';
import type { Snapshot } from './service/target.ts';
import {
  assertInRole,
  type CallPlace,
  type Claim,
  type Lack,
  PreconditionFailed,
  type Statuses,
  type ValueClaim,
  Violation,
} from './violation.ts';
import { firstDifference, deeplyEqual, isObject } from './json.ts';

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
  /** @param name what the value is, in words that stand in the report: `version of the page`; @param seenIn what shows it, without any other answer or call */
  <T>(value: T, name: string, seenIn?: SeenIn): ValueExpectation<T>;
  /** What a read shows is what is known of the object. @throws {PreconditionFailed} it shows nothing that these rules are about */
  asKnown(read: Read<Reply>, known: Known, scope: Scope): void;
  /** None of these calls was to come, each of which is told. */
  noCalls<T extends ArrivedCall>(calls: readonly T[], name: string, told?: (call: T) => string): void;
  /** Both snapshots are equal: nothing changed. */
  unchanged(before: Snapshot, after: Snapshot): void;
}

/** What shows a value. */
type SeenIn = Reply | CallPlace | Lack;

/** A call of the service, as far as it takes to say which one. */
interface ArrivedCall {
  readonly method: string;
  readonly target: string;
  readonly arrivedAt: number;
}

/** What of a read is looked at, all unless given, and what it is a read of. */
interface Scope {
  readonly rules?: readonly RuleId[];
  readonly of: string;
}

interface Named<T> {
  readonly value: T;
  readonly name: string;
  readonly seenIn: SeenIn | undefined;
}

/** What is asserted, in words that are made when somebody reads them, and as what a script can look at. */
interface Sentence {
  /** Without the values. */
  readonly name: () => string;
  readonly expected: () => string;
  readonly actual: () => string;
  readonly claim?: () => Claim;
}

/** Counts an assertion and throws a Violation unless it holds. */
type Check = (holds: boolean, sentence: Sentence, reply?: Reply) => void;

/** The assertions of one case; every breach carries what was sent up to then. */
export function openExpect(record: CaseRecord): Expect {
  const check: Check = (holds, { name, expected, actual, claim }, reply) => {
    record.assertions += 1;
    record.conduct?.assertion(name());
    if (holds) return;
    const history = record.history(reply?.exchange);
    throw new Violation(expected(), actual(), reply, {
      history,
      sent: record.history(),
      ...(claim && { claim: claim() }),
    });
  };

  function expect(reply: Reply): ReplyExpectation;
  function expect<T>(value: T, name: string, seenIn?: SeenIn): ValueExpectation<T>;
  function expect<T>(value: T, name?: string, seenIn?: SeenIn): ReplyExpectation | ValueExpectation<T> {
    return name === undefined
      ? replyExpectation(value as Reply, check)
      : valueExpectation({ value, name, seenIn }, check);
  }
  return Object.assign(expect, {
    asKnown: (read: Read<Reply>, known: Known, scope: Scope) => assertKnown(judgeRead(read, known), scope, check),
    noCalls: <T extends ArrivedCall>(
      calls: readonly T[],
      name: string,
      told: (call: T) => string = ({ method, target }) => `${method} ${target}`,
    ) => assertNoCalls(calls, { name, told }, check),
    unchanged: (before: Snapshot, after: Snapshot) => assertUnchanged(before, after, check),
  });
}

function assertKnown(points: readonly Point<Reply>[], { rules, of }: Scope, check: Check): void {
  const own = points.filter(({ rule }) => rules?.includes(rule) ?? true);
  const wrong = points.filter(({ holds }) => !holds).map(({ rule }) => rule);
  if (own.length === 0) throw new PreconditionFailed(`what ${rules?.join(', ')} is about`, undefined, wrong);
  for (const { what, actual, expected, answer } of own)
    assertEqual({ value: actual, name: `${what} of ${of}`, seenIn: answer }, expected, check);
}

function assertNoCalls<T extends ArrivedCall>(
  calls: readonly T[],
  { name, told }: { readonly name: string; readonly told: (call: T) => string },
  check: Check,
): void {
  const at = calls[0]?.arrivedAt ?? 0;
  check(calls.length === 0, {
    name: () => withoutValues(name),
    expected: () => `${name} to be []`,
    actual: () => describe(calls.map(told)),
    claim: () => ({ about: 'calls', is: 'extra', by: at, at, among: calls.slice(0, 1) }),
  });
}

function assertUnchanged(before: Snapshot, after: Snapshot, check: Check): void {
  const difference = firstDifference(contentOf(before), contentOf(after));
  const place = difference?.pointer ?? '';
  check(
    difference === undefined,
    {
      name: () => 'the object unchanged',
      expected: () => `the object unchanged${place === '' ? '' : `, ${place} still ${describe(difference?.left)}`}`,
      actual: () => `${place === '' ? 'another object' : place} now ${describe(difference?.right)}`,
      claim: () => ({ about: 'value', actual: difference?.right }),
    },
    after.reply,
  );
}

function contentOf({ version, oid, members, arrays }: Snapshot): object {
  return { version, oid, members, arrays };
}

/** Assertions on the status and headers of a reply. */
function replyExpectation(reply: Reply, check: Check): ReplyExpectation {
  const { status } = reply;
  const { method } = reply.exchange.request;
  const actual = (): string => `status ${status}${reply.text === '' ? '' : ` with ${describeBody(reply.text, 200)}`}`;
  const assert = (holds: boolean, expected: () => string, statuses: Statuses): void =>
    check(
      holds,
      {
        name: () => `${method}: ${expected()}`,
        expected,
        actual,
        claim: () => ({ about: 'status', expected: statuses }),
      },
      reply,
    );
  const succeeded = isSuccess(status);
  return {
    toAnswer: (...statuses) => {
      if (status === 403 ? !statuses.includes(403) : statuses.every((wanted) => wanted < 400)) assertInRole(reply);
      assert(statuses.includes(status), () => `status ${statuses.join(' or ')}`, statuses);
    },
    toSucceed: () => {
      assertInRole(reply);
      assert(succeeded, () => 'a status of 2xx', '2xx');
    },
    toBeRefused: () => assert(status >= 400, () => 'a status of 400 or above', 'refused'),
    notToSucceed: () => assert(!succeeded && status !== 304, () => 'a status other than 2xx and 304', 'not 2xx'),
    toCarry: (header) => {
      const value = reply.headers[header.toLowerCase()];
      const expected = (): string => `a header ${header}`;
      check(
        value !== undefined,
        {
          name: () => `${method}: ${expected()}`,
          expected,
          actual: () => `only ${Object.keys(reply.headers).join(', ') || 'no headers'}`,
          claim: () => ({ about: 'header', name: header.toLowerCase() }),
        },
        reply,
      );
      return value ?? '';
    },
  };
}

/** Assertions on a JSON value. */
function valueExpectation<T>({ value, name, seenIn }: Named<T>, check: Check): ValueExpectation<T> {
  /** @param wanted where the name does not say it */
  const assert = (holds: boolean, expected: () => string, wanted: string): void =>
    check(
      holds,
      {
        name: () => withoutValues(`${name} ${wanted}`),
        expected: () => `${name} to be ${expected()}`,
        actual: () => describe(value),
        claim: () => ({ about: 'value', name, actual: value, ...ofSeen(seenIn) }),
      },
      replyOf(seenIn),
    );
  const assertKind = (holds: boolean, kind: string): void => assert(holds, () => kind, `to be ${kind}`);
  return {
    toEqual: (expected) => assertEqual({ value, name, seenIn }, expected, check),
    notToEqual: (other) => assert(!deeplyEqual(value, other), () => `other than ${describe(other)}`, 'to be another'),
    toBeOneOf: (values) =>
      assert(
        values.some((one) => deeplyEqual(value, one)),
        () => `one of ${describe(values)}`,
        'to be one of several',
      ),
    toBeAString: () => assertKind(typeof value === 'string', 'a string'),
    toBeAnInteger: () => assertKind(Number.isInteger(value), 'an integer'),
    toBeAnObject: () => assertKind(isObject(value), 'an object'),
    toBeAnArray: () => assertKind(Array.isArray(value), 'an array'),
    toBePresent: () => assertKind(value !== undefined && value !== null, 'present'),
    toBeAbsent: () => assertKind(value === undefined, 'absent'),
    toSatisfy: (expected, predicate) => assertKind(predicate(value), expected),
  };
}

/** Characters of a text that are shown of a place. */
const shownOfText = 120;

/**
 * Where two values differ, and what stands there: of long texts that begin alike, and of such as look alike, the character by which they
 * part; more could be a part of a secret, which nobody would know as one.
 */
function placeOf(place: string, part: unknown, difference: ReturnType<typeof firstDifference>): string {
  const { left, right } = difference ?? {};
  const areTexts = typeof left === 'string' && typeof right === 'string';
  const apart = areTexts ? partingOf(left, right) : 0;
  const isLong = apart >= shownOfText;
  const isMeant = typeof part === 'string' && areTexts && (isLong || lookAlike(left, right));
  const shown = place === '' || (isMeant && isLong) ? place : `${place}: ${describe(part, shownOfText)}`;
  const parts = [shown, isMeant ? `character ${apart + 1}: ${letterAt(part, apart)}` : ''].filter(
    (text) => text !== '',
  );
  return parts.length === 0 ? '' : ` (at ${parts.join(', ')})`;
}

/** Whether one text is shown as the other is, though its letters are composed otherwise. */
function lookAlike(one: string, other: string): boolean {
  return one.normalize('NFKC') === other.normalize('NFKC');
}

/** A letter beyond ASCII with its number, as another may look the same. */
function letterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  if (code === undefined) return describe(undefined);
  const letter = describe(String.fromCodePoint(code));
  return code < 0x80 ? letter : `${letter} U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** How many characters two texts have in common at their beginning. */
function partingOf(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.codePointAt(at) === other.codePointAt(at)) at += 1;
  return at;
}

function assertEqual<T>({ value, name, seenIn }: Named<T>, expected: unknown, check: Check): void {
  const difference = firstDifference(value, expected);
  const place = difference?.pointer ?? '';
  const at = (part: unknown): string => placeOf(place, part, difference);
  check(
    difference === undefined,
    {
      name: () => withoutValues(name),
      expected: () => `${name} to be ${describe(expected)}${at(difference?.right)}`,
      actual: () => describe(value) + at(difference?.left),
      claim: () => ({ about: 'value', name, actual: value, expected: { value: expected }, ...ofSeen(seenIn) }),
    },
    replyOf(seenIn),
  );
}

function replyOf(seenIn: Named<unknown>['seenIn']): Reply | undefined {
  return seenIn !== undefined && 'exchange' in seenIn ? seenIn : undefined;
}

function ofSeen(seenIn: SeenIn | undefined): Pick<ValueClaim, 'shownBy' | 'lacks'> {
  if (seenIn === undefined || 'exchange' in seenIn) return {};
  return 'lacks' in seenIn ? seenIn : { shownBy: seenIn };
}
