import type { RuleId } from '../contract/rule.ts';
import type { Reply } from './exchange.ts';
import type { Sent } from './client/wire.ts';

/** The rule is broken: what it demands, what was seen, and the exchange that shows it. */
export class Violation extends Error {
  readonly code = 'VIOLATION';
  readonly expected: string;
  readonly actual: string;
  readonly reply: Reply | undefined;
  /** What was sent up to then, oldest first. */
  readonly history: readonly Sent[];
  /** Whether the profile demands it, not the documents. */
  readonly bound: boolean;
  /** The generated value behind it, as text, and fast-check's path to it. */
  counterexample?: string;
  /** Whether the history is whole, so that it can be told as a script for a fresh service. */
  isScript = false;

  constructor(
    expected: string,
    actual: string,
    reply?: Reply,
    more: { readonly history?: readonly Sent[]; readonly bound?: boolean } = {},
  ) {
    super(`expected ${expected}, found ${actual}`);
    this.expected = expected;
    this.actual = actual;
    this.reply = reply;
    this.history = more.history ?? [];
    this.bound = more.bound ?? false;
  }
}

/** Something the case needs did not happen, so that it cannot judge its rule: never a `fail`. */
export class PreconditionFailed extends Error {
  readonly code = 'PRECONDITION_FAILED';
  readonly reply: Reply | undefined;
  /** Rules that judge what failed here. */
  readonly standsOn: readonly RuleId[];

  /** @param expected what should have been there, in words */
  constructor(expected: string, reply?: Reply, standsOn: readonly RuleId[] = []) {
    super(`the case needs ${expected}${reply === undefined ? '' : `; the answer was ${reply.status}`}`);
    this.reply = reply;
    this.standsOn = standsOn;
  }
}

/** The check cannot decide anything on this target: blocked. */
export class Inconclusive extends Error {
  readonly code = 'INCONCLUSIVE';
}
