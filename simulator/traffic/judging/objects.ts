import type { RuleId } from '../../../contract/rule.ts';
import type { TrafficExchange } from '../engine.ts';
import type { Ground } from '../ground.ts';
import { isAnsweredWell, isObject, jsonIn, objectIn, oidIn, versionIn } from '../results.ts';
import type { Complain } from './violations.ts';

/** What a register with versions did to one object. The shape of `suites/register`, whose checker is handed in. */
export interface RegisterHistory {
  readonly start: { readonly version: number };
  readonly operations: readonly RegisterOperation[];
}
export type RegisterOperation = {
  readonly process: number;
  readonly invokedAt: number;
  readonly respondedAt: number;
} & (
  | {
      readonly kind: 'write';
      readonly stated: number;
      readonly result: 'accepted' | 'conflict' | 'unknown';
      readonly version?: number;
      readonly value?: string;
    }
  | { readonly kind: 'read'; readonly version: number; readonly value?: string }
);
export interface Breach {
  readonly kind: string;
  readonly version: number;
  readonly found: string;
}
export type BreachesOf = (history: RegisterHistory) => readonly Breach[];

/** Which rule each kind of breach is filed under. */
const ruleOfBreach: Readonly<Record<string, RuleId>> = {
  'two-writers': 'versioning.race.one-writer-wins',
  'missing-writer': 'versioning.edit.merge-adds-one',
  'wrong-answer': 'versioning.edit.merge-adds-one',
  'unwritten-version': 'versioning.edit.merge-adds-one',
  'needless-conflict': 'versioning.race.retry-loop-loses-nothing',
};
const usualRule: RuleId = 'versioning.sequence.matches-model';
/** What may still be explained by a write that is under way. */
const unsureBreaches: ReadonlySet<string> = new Set(['missing-writer', 'unwritten-version', 'needless-conflict']);
/** Operations of one object that are kept; a busier object is judged up to there. */
const longestHistory = 200_000;

interface Kept {
  readonly start: { readonly version: number };
  readonly operations: RegisterOperation[];
  /** An exchange to show: the last one. */
  last: TrafficExchange;
  /** Something was added since it was looked at. */
  changed: boolean;
}

export interface ObjectsOptions {
  readonly ground: Ground;
  readonly breachesOf: BreachesOf;
  readonly complain: Complain;
  /** Whether the history of an object is kept. */
  readonly isJudged: (oid: string) => boolean;
}

/** Keeps what was done to each object, and lets the register checker look at it in the end. */
export class Objects {
  readonly #kept = new Map<string, Kept>();
  readonly #known: ReadonlyMap<string, number>;
  readonly #first: string;
  readonly #breachesOf: BreachesOf;
  readonly #complain: Complain;
  readonly #isJudged: ObjectsOptions['isJudged'];

  constructor({ ground, breachesOf, complain, isJudged }: ObjectsOptions) {
    this.#isJudged = isJudged;
    this.#known = new Map(ground.objects.map(({ oid, version }) => [oid, version]));
    this.#first = ground.softType.scalars[0] ?? '';
    this.#breachesOf = breachesOf;
    this.#complain = complain;
  }

  see(exchange: TrafficExchange): void {
    const { about } = exchange.step;
    if (about?.kind === 'create') this.#addCreate(exchange);
    else if (about?.kind === 'read') this.#addRead(exchange, about.oid);
    else if (about?.kind === 'edit') this.#addEdit(exchange, about);
    else if (about?.kind === 'batch') this.#addBatch(exchange, about.operations);
  }

  /** Whether a history is wrong already, however the requests under way end. */
  isBroken(): boolean {
    for (const kept of this.#kept.values()) {
      if (!kept.changed) continue;
      kept.changed = false;
      if (this.#breachesOf(kept).some(({ kind }) => !unsureBreaches.has(kind))) return true;
    }
    return false;
  }

  finish(): void {
    for (const [oid, { start, operations, last }] of this.#kept) {
      for (const { kind, version, found } of this.#breachesOf({ start, operations }))
        this.#complain(
          ruleOfBreach[kind] ?? usualRule,
          `a history of ${oid} that one register can have had`,
          `${kind} at version ${version}: ${found}`,
          last,
          lastAt(operations, version),
        );
    }
  }

  #addCreate(exchange: TrafficExchange): void {
    const { result } = exchange;
    const [oid, version] = [oidIn(result), versionIn(result)];
    if (oid === undefined || version === undefined || !this.#isJudged(oid)) return;
    if (this.#kept.has(oid) || this.#known.has(oid))
      return this.#complain(
        'reading.create.new-identity-each-time',
        'a Location of its own for each object',
        `${oid} once more`,
        exchange,
      );
    this.#kept.set(oid, { start: { version }, operations: [], last: exchange, changed: false });
  }

  #addRead(exchange: TrafficExchange, oid: string): void {
    if (exchange.result.status !== 200) return;
    const { version, data } = objectIn(exchange.result);
    const value = isObject(data) ? data[this.#first] : undefined;
    if (typeof version === 'number')
      this.#add(oid, exchange, { kind: 'read', version, ...(typeof value === 'string' && { value }) });
  }

  #addEdit(
    exchange: TrafficExchange,
    { oid, version: stated, marker }: { readonly oid: string; readonly version: number; readonly marker?: string },
  ): void {
    const version = versionIn(exchange.result);
    const result = resultOf(exchange);
    // a promotion may be refused with 409 for its state; an edit with a text of its own only for its version
    if (result === undefined || (result === 'conflict' && marker === undefined)) return;
    this.#add(oid, exchange, {
      kind: 'write',
      stated,
      result,
      ...(version !== undefined && result === 'accepted' && { version }),
      ...(marker !== undefined && { value: marker }),
    });
  }

  #addBatch(
    exchange: TrafficExchange,
    operations: readonly { readonly oid?: string; readonly version?: number }[],
  ): void {
    const results = jsonIn(exchange.result);
    for (const [index, { oid, version: stated }] of operations.entries()) {
      if (oid === undefined || stated === undefined) continue;
      const result: unknown = Array.isArray(results) ? results[index] : undefined;
      const body = isObject(result) ? result['body'] : undefined;
      const version = isObject(body) ? body['version'] : undefined;
      const status = isObject(result) ? result['statusCode'] : undefined;
      const accepted =
        exchange.error === undefined &&
        isAnsweredWell(exchange.result.status) &&
        (typeof status !== 'number' || isAnsweredWell(status));
      if (!accepted && exchange.error === undefined && exchange.result.status < 500) continue;
      this.#add(oid, exchange, {
        kind: 'write',
        stated,
        result: accepted ? 'accepted' : 'unknown',
        ...(accepted && typeof version === 'number' && { version }),
      });
    }
  }

  #add(
    oid: string,
    exchange: TrafficExchange,
    operation: RegisterOperation extends infer O
      ? O extends RegisterOperation
        ? Omit<O, 'process' | 'invokedAt' | 'respondedAt'>
        : never
      : never,
  ): void {
    const known = this.#known.get(oid);
    const kept =
      this.#kept.get(oid) ??
      (known === undefined || !this.#isJudged(oid)
        ? undefined
        : { start: { version: known }, operations: [], last: exchange, changed: false });
    if (kept === undefined || kept.operations.length >= longestHistory) return;
    this.#kept.set(oid, kept);
    const respondedAt = operation.kind === 'write' && operation.result === 'unknown' ? Infinity : exchange.endedAt;
    kept.operations.push({ ...operation, process: exchange.user, invokedAt: exchange.sentAt, respondedAt });
    kept.last = exchange;
    kept.changed = true;
  }
}

/** When the last answer came that shows or makes a version, or else states it, in monotonic ms: only then it can be seen what is wrong with it. Undefined where there is none. */
function lastAt(operations: readonly RegisterOperation[], version: number): number | undefined {
  const shows = (one: RegisterOperation): boolean =>
    one.version === version || (one.kind === 'write' && one.stated + 1 === version);
  const states = (one: RegisterOperation): boolean => one.kind === 'write' && one.stated === version;
  for (const isAbout of [shows, states]) {
    const times = operations
      .filter(isAbout)
      .map(({ respondedAt }) => respondedAt)
      .filter(Number.isFinite);
    if (times.length > 0) return times.reduce((one, other) => Math.max(one, other));
  }
  return undefined;
}

/** Undefined where the write was refused for another reason, so that it says nothing about versions. */
function resultOf({ result, error }: TrafficExchange): 'accepted' | 'conflict' | 'unknown' | undefined {
  if (error !== undefined || result.status >= 500) return 'unknown';
  if (result.status === 409) return 'conflict';
  return isAnsweredWell(result.status) ? 'accepted' : undefined;
}
