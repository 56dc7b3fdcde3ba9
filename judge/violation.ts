import type { Need } from '../contract/needs.ts';
import type { RuleId } from '../contract/rule.ts';
import type { Reply } from './exchange.ts';
import type { Sent } from './client/wire.ts';

/** What an assertion was about, so that it can be made again without its case. */
export type Claim =
  | { readonly about: 'status'; readonly expected: Statuses }
  | { readonly about: 'header'; readonly name: string }
  | ValueClaim
  | CallsClaim;

export interface ValueClaim {
  readonly about: 'value';
  /** What the value is, in words. */
  readonly name?: string;
  readonly actual: unknown;
  readonly expected?: { readonly value: unknown };
  /** The call of the service that shows it, in what the service is called with and in nothing else. */
  readonly shownBy?: CallPlace;
  /** It tells what is not there, which nothing that is there shows. */
  readonly lacks?: true;
}

/** In the place of what shows a value: that it is told nowhere, as it is what is not there. */
export interface Lack {
  readonly lacks: true;
}

/** A call, and where that is known the JSON Pointer of the member of its body. */
export interface CallPlace {
  readonly call: object;
  readonly at?: string;
}

/** An assertion about how many calls have come, or ended, by then. */
export interface CallsClaim {
  readonly about: 'calls';
  /** Whether there was one too many or too few. */
  readonly is: 'extra' | 'missing';
  /** When that shows, in ms of the clock. */
  readonly by: number;
  /** When the one that is too many came, or ended; by then unless given. */
  readonly at?: number;
  /** Some of those that it is about, where they are known. */
  readonly among: readonly object[];
  /** It is about the ends of calls. */
  readonly ends?: true;
}

/** Statuses that a rule demands. */
export type Statuses = readonly number[] | '2xx' | 'refused' | 'not 2xx';

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
  /** Whether something real only came too late, or not yet, which a busy machine does as well: it has to happen twice. */
  readonly isLate: boolean;
  /** Whether something came at another moment than it was due, by a clock that the suite moves, and may have moved too soon, or by chance: it has to happen twice. */
  readonly isOutOfTime: boolean;
  readonly claim: Claim | undefined;
  /** All that was sent until somebody noticed; the history unless given. */
  readonly sent: readonly Sent[];
  /** The generated value behind it, as text, and fast-check's path to it. */
  counterexample?: string;
  /** Whether the history is whole, so that it can be told as a script for a fresh service. */
  isScript = false;

  constructor(
    expected: string,
    actual: string,
    reply?: Reply,
    more: {
      readonly history?: readonly Sent[];
      readonly bound?: boolean;
      readonly isLate?: boolean;
      readonly isOutOfTime?: boolean;
      readonly claim?: Claim;
      readonly sent?: readonly Sent[];
    } = {},
  ) {
    super(`expected ${expected}, found ${actual}`);
    this.expected = expected;
    this.actual = actual;
    this.reply = reply;
    this.history = more.history ?? [];
    this.bound = more.bound ?? false;
    this.isLate = more.isLate ?? false;
    this.isOutOfTime = more.isOutOfTime ?? false;
    this.claim = more.claim;
    this.sent = more.sent ?? this.history;
  }
}

/** What an answer gives for an address is none: a breach for whichever rule has to follow it, and in the way of one that only records. */
export class NoReference extends Violation {
  constructor(found: string, reply: Reply) {
    super('a URI reference', JSON.stringify(found), reply);
  }
}

/** Something the case needs did not happen, so that it cannot judge its rule: never a `fail`. */
export class PreconditionFailed extends Error {
  readonly code = 'PRECONDITION_FAILED';
  /** What should have been there, and what was, in words. */
  readonly needed: string;
  readonly reply: Reply | undefined;
  /** Rules that judge what failed here. */
  readonly standsOn: readonly RuleId[];

  /** @param expected what should have been there, in words */
  constructor(expected: string, reply?: Reply, standsOn: readonly RuleId[] = []) {
    const needed = reply === undefined ? expected : `${expected}; the answer was ${reply.status}`;
    super(`the case needs ${needed}`);
    this.needed = needed;
    this.reply = reply;
    this.standsOn = standsOn;
  }
}

/** An answer tells no id of an entry: a breach for whichever rule has to address it, and in the way of one that only records. */
export class NoEntryId extends Violation {
  constructor(reply: Reply, history: readonly Sent[], sent: readonly Sent[]) {
    const name = '$entryId of an object inside an array';
    super(`${name} to be an integer or a string`, 'nothing', reply, {
      history,
      sent,
      claim: { about: 'value', name, actual: undefined },
    });
  }
}

/** A precondition that the profile does not meet, or says wrongly: no time would bring it, so that no machine is to blame. */
export class UnfitProfile extends PreconditionFailed {}

/** An object that the case has read or created is not found: where its rule can fail that is a breach, whatever the case wanted to see of it. */
export class ObjectLost extends PreconditionFailed {
  declare readonly reply: Reply;

  constructor(reply: Reply) {
    super('the object that it has read or created before', reply);
  }

  /** @param history what was sent up to then */
  asViolation(history: readonly Sent[]): Violation {
    const actual = this.reply.status === 200 ? 'an answer without it' : `status ${this.reply.status}`;
    return new Violation('the object that was shown or created there before', actual, this.reply, { history });
  }
}

/** @throws {ObjectLost} the answer does not show an object that the same request showed before, or that was created there */
export function assertNotLost(reply: Reply): void {
  if (reply.isLost === true) throw new ObjectLost(reply);
}

/** The check cannot decide anything on this target: blocked. */
export class Inconclusive extends Error {
  readonly code = 'INCONCLUSIVE';
  /** Needs that would have to be met for it. */
  readonly missing: readonly Need[];
  /** Rules that may be the cause, where a violated one is the better reason; undefined where none is. */
  readonly standsOn: readonly RuleId[] | undefined;

  constructor(sentence: string, missing: readonly Need[] = [], standsOn?: readonly RuleId[]) {
    super(sentence);
    this.missing = missing;
    this.standsOn = standsOn;
  }
}

/** What no time would change, as this target or its profile has nothing to decide by: no machine is to blame. */
export class Undecidable extends Inconclusive {}

/** The case uses a key that the profile does not have. */
export class KeyMissing extends Undecidable {
  /** @param need what the key would meet: where that is not offered, the rule needs no word of its own */
  constructor(key: string, need: Need) {
    super(`The case uses ${key}, which the profile does not have: add it.`, [need]);
  }
}

/** The case goes a way that `notSupported` takes away, and has no other. */
export class NotOffered extends Inconclusive {
  constructor(need: Need) {
    super(`The case needs ${need}, which the profile declares as not supported.`, [need]);
  }
}

/** The suite did something too late for it to show anything: once more may do. */
export class TooLate extends Inconclusive {}

const stalled = 'machine stalled';

/** This machine did not let the suite, or what it judges, go on: what came of that shows nothing. */
export class MachineStalled extends TooLate {
  constructor(stalledMs: number, sentence: string) {
    super(`${stalled} ${Math.round(stalledMs)} ms: ${sentence}`);
  }
}

/** Whether that is why a case has no verdict. @param reason of its outcome */
export function isOfStalledMachine(reason: string | undefined): boolean {
  return reason?.startsWith(stalled) === true;
}

/** A 403 decides nothing where the role of the caller may not have the method at all. @throws {Undecidable} */
export function assertInRole({ missingMethod }: Reply): void {
  if (missingMethod === undefined) return;
  const { as, method, isStated } = missingMethod;
  const key = `identities.${as}.methods`;
  if (isStated)
    throw new Undecidable(`the role of the ${as} does not have ${method}, as ${key} says`, ['role-methods']);
  throw new Undecidable(
    `the ${as} was refused ${method} with 403, which is right where the role does not have it: state ${key} in the profile`,
  );
}

/** What the work comes to; undefined where the target refuses it, where that is an answer as well. */
export function unlessRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  return insteadOfRefusal(undefined, work);
}

/** What the work comes to, or what is given where the target refuses it. */
export async function insteadOfRefusal<T, O>(given: O, work: () => Promise<T>): Promise<T | O> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PreconditionFailed) return given;
    throw error;
  }
}
