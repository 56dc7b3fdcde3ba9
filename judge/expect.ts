import type { Reply } from './exchange.ts';
import type { Snapshot } from './target.ts';

/** Assertions on one reply. */
export interface ReplyExpectation {
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
export interface ValueExpectation<T> {
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
