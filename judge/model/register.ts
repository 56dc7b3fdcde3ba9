import { versionOf } from '../service/answers.ts';
import { isSuccess, type Reply } from '../exchange.ts';
import { headerVersion } from '../service/writes.ts';

/** When a request was sent and when its answer had arrived, in ms of one clock; Infinity where no answer came. */
interface Span {
  readonly invokedAt: number;
  readonly respondedAt: number;
}

/** A write that stated a version. */
interface WriteOperation extends Span {
  readonly kind: 'write';
  readonly process: number;
  /** The version that the request stated. */
  readonly stated: number;
  /** `conflict` for 409; `unknown` where no answer came, so that it may have happened or not. */
  readonly result: 'accepted' | 'conflict' | 'unknown';
  /** The version in the answer, where it had one. */
  readonly version?: number;
  /** What it writes; undefined where later reads cannot tell. */
  readonly value?: string;
}

/** A read with the version and the value that it showed. */
interface ReadOperation extends Span {
  readonly kind: 'read';
  readonly process: number;
  readonly version: number;
  readonly value?: string;
}

export type RegisterOperation = WriteOperation | ReadOperation;

/** Everything that was done to one object, in any order, and what it was before. */
export interface RegisterHistory {
  readonly start: { readonly version: number; readonly value?: string };
  readonly operations: readonly RegisterOperation[];
}

/** Every version that there was, with the moments between which it can have been the current one. */
class Versions {
  readonly #start: RegisterHistory['start'];
  /** By version less that of the start: the accepted write that made it. */
  readonly #writers: readonly (WriteOperation | undefined)[];
  /** By version: writes without an answer that may have made it. */
  readonly #unknown: ReadonlyMap<number, readonly WriteOperation[]>;
  readonly #last: number;
  readonly #from: Float64Array;
  readonly #until: Float64Array;

  constructor({ start, operations }: RegisterHistory, report: Report) {
    this.#start = start;
    this.#unknown = unansweredOf(operations);
    const { writers, last } = writersOf(start.version, operations, report);
    this.#writers = writers;
    this.#last = this.#reach(last);
    for (let at = 1; at <= this.#last; at += 1)
      if (!this.#isWritten(at))
        report('missing-writer', start.version + at, `version ${start.version + at} came about without a write`);
    this.#from = this.#beginnings();
    this.#until = this.#ends(operations);
  }

  has(version: number): boolean {
    const at = version - this.#start.version;
    return Number.isInteger(at) && at >= 0 && at <= this.#last;
  }

  /** Whether a read of that version may show the value. */
  mayHold(version: number, value: string | undefined): boolean {
    const writer = this.#writers[version - this.#start.version];
    const candidates = writer === undefined ? (this.#unknown.get(version) ?? []) : [writer];
    const values = version === this.#start.version ? [this.#start.value] : candidates.map((write) => write.value);
    return (
      value === undefined || values.length === 0 || values.some((written) => written === undefined || written === value)
    );
  }

  /** The moment before which it cannot have been there: then a write up to it was not sent yet. Infinity for a version that never was. */
  from(version: number): number {
    return this.#from[version - this.#start.version] ?? Infinity;
  }

  /** The moment at which it was over for sure: then a later one had been seen or answered. */
  until(version: number): number {
    const at = version - this.#start.version;
    return at < 0 ? -Infinity : (this.#until[at] ?? Infinity);
  }

  #isWritten(at: number): boolean {
    return this.#writers[at] !== undefined || this.#unknown.has(this.#start.version + at);
  }

  /** The last version that an accepted write made, or that unanswered ones may have made behind it. */
  #reach(accepted: number): number {
    let last = accepted;
    while (this.#unknown.has(this.#start.version + last + 1)) last += 1;
    return last;
  }

  #beginnings(): Float64Array {
    const from = new Float64Array(this.#last + 1).fill(-Infinity);
    for (let at = 1; at <= this.#last; at += 1) from[at] = Math.max(from[at - 1] ?? -Infinity, this.#invocationOf(at));
    return from;
  }

  #invocationOf(at: number): number {
    const writer = this.#writers[at];
    if (writer !== undefined) return writer.invokedAt;
    const candidates = this.#unknown.get(this.#start.version + at) ?? [];
    return candidates.length === 0 ? -Infinity : Math.min(...candidates.map(({ invokedAt }) => invokedAt));
  }

  #ends(operations: readonly RegisterOperation[]): Float64Array {
    const until = new Float64Array(this.#last + 1).fill(Infinity);
    for (const operation of operations) {
      const version = operation.kind === 'read' ? operation.version : acceptedVersionOf(operation);
      const before = version - 1 - this.#start.version;
      if (before >= 0 && before < this.#last)
        until[before] = Math.min(until[before] ?? Infinity, operation.respondedAt);
    }
    for (let at = this.#last - 1; at >= 0; at -= 1)
      until[at] = Math.min(until[at] ?? Infinity, until[at + 1] ?? Infinity);
    return until;
  }
}

export type BreachKind =
  /** Two writes were accepted at one version. */
  | 'two-writers'
  /** A version came about without a write. */
  | 'missing-writer'
  /** The answer to a write names another version than the next one. */
  | 'wrong-answer'
  /** A read shows, or an accepted write states, a version that nobody wrote. */
  | 'unwritten-version'
  /** A read shows another value than was written at its version. */
  | 'foreign-value'
  /** A read shows a version that was over before it began. */
  | 'stale-read'
  /** A read shows a version before it can have been there. */
  | 'early-read'
  /** A write was answered before the one on which it stands was sent. */
  | 'disorder'
  /** A write was refused although its version was the current one all along. */
  | 'needless-conflict';

/** What no register with versions can have done. */
interface Breach {
  readonly kind: BreachKind;
  readonly version: number;
  /** In words, with processes and times. */
  readonly found: string;
}

type Report = (kind: BreachKind, version: number, found: string) => void;

const mostBreaches = 20;

/**
 * Whether one register can have answered so, that accepts a write only at its version and raises it by one each time: whether there is an
 * order of all operations, in agreement with real time, which explains every answer. The versions give that order, so the time is linear
 * in the number of operations. Source: core, Versioning 1 to 3; Errors rule 1.
 * @returns the first breaches; none where all is in order
 */
export function breachesOf(history: RegisterHistory): readonly Breach[] {
  const breaches: Breach[] = [];
  const report: Report = (kind, version, found) => {
    if (breaches.length < mostBreaches) breaches.push({ kind, version, found });
  };
  const versions = new Versions(history, report);
  for (const operation of history.operations) {
    if (operation.kind === 'read') checkRead(versions, operation, report);
    else if (operation.result === 'accepted') checkAccepted(versions, operation, report);
    else if (operation.result === 'conflict') checkConflict(versions, operation, report);
  }
  return breaches;
}

function checkRead(
  versions: Versions,
  { version, value, process, invokedAt, respondedAt }: ReadOperation,
  report: Report,
): void {
  if (!versions.has(version))
    return report('unwritten-version', version, `process ${process} read version ${version}, which nobody wrote`);
  if (!versions.mayHold(version, value))
    report('foreign-value', version, `process ${process} read '${value}' at version ${version}`);
  if (respondedAt < versions.from(version))
    report(
      'early-read',
      version,
      `process ${process} had read version ${version} at ${respondedAt} ms; it was not there before ${versions.from(version)} ms`,
    );
  if (invokedAt > versions.until(version))
    report(
      'stale-read',
      version,
      `process ${process} began to read at ${invokedAt} ms and saw version ${version}, which was over at ${versions.until(version)} ms`,
    );
}

function checkAccepted(
  versions: Versions,
  { stated, version, process, respondedAt }: WriteOperation,
  report: Report,
): void {
  const made = stated + 1;
  if (version !== undefined && version !== made)
    report('wrong-answer', made, `process ${process} wrote at version ${stated} and was told ${version}`);
  if (versions.has(made) && respondedAt < versions.from(made))
    report(
      'disorder',
      made,
      `process ${process} was told of version ${made} at ${respondedAt} ms; one of those before it began at ${versions.from(made)} ms`,
    );
}

/** A conflict needs another version than the one stated at some moment between invocation and response. */
function checkConflict(
  versions: Versions,
  { stated, process, invokedAt, respondedAt }: WriteOperation,
  report: Report,
): void {
  if (!versions.has(stated)) return;
  const isThereBefore = versions.until(stated - 1) < invokedAt;
  const isOverAfter = versions.from(stated + 1) > respondedAt;
  if (isThereBefore && isOverAfter)
    report(
      'needless-conflict',
      stated,
      `process ${process} was refused between ${invokedAt} and ${respondedAt} ms, when version ${stated} was the current one all along`,
    );
}

function acceptedVersionOf({ result, stated }: WriteOperation): number {
  return result === 'accepted' ? stated + 1 : Number.NaN;
}

function unansweredOf(operations: readonly RegisterOperation[]): ReadonlyMap<number, readonly WriteOperation[]> {
  const unknown = new Map<number, WriteOperation[]>();
  for (const operation of operations) {
    if (operation.kind === 'read' || operation.result !== 'unknown') continue;
    const candidates = unknown.get(operation.stated + 1);
    if (candidates === undefined) unknown.set(operation.stated + 1, [operation]);
    else candidates.push(operation);
  }
  return unknown;
}

/** The accepted writes in the order of their versions; no version is further from the start than there are writes. */
function writersOf(
  first: number,
  operations: readonly RegisterOperation[],
  report: Report,
): { readonly writers: readonly (WriteOperation | undefined)[]; readonly last: number } {
  const most = operations.length;
  const writers = Array.from<WriteOperation | undefined>({ length: most + 1 });
  let last = 0;
  for (const operation of operations) {
    if (operation.kind === 'read' || operation.result !== 'accepted') continue;
    const at = operation.stated + 1 - first;
    if (!Number.isInteger(at) || at < 1 || at > most) {
      report(
        'unwritten-version',
        operation.stated,
        `process ${operation.process} wrote at version ${operation.stated}, which nobody wrote`,
      );
      continue;
    }
    const other = writers[at];
    last = Math.max(last, at);
    if (other === undefined) writers[at] = operation;
    else
      report(
        'two-writers',
        at + first,
        `processes ${other.process} and ${operation.process} both wrote at version ${operation.stated}`,
      );
  }
  return { writers, last };
}

/** Takes down what is done to one object, by whom and when. */
export class Recorder {
  readonly #start: RegisterHistory['start'];
  readonly #operations: RegisterOperation[] = [];

  constructor(start: RegisterHistory['start']) {
    this.#start = start;
  }

  /** @param value what the request writes, where reads can tell */
  write(process: number, reply: Reply, stated: number, value?: string): void {
    const version = headerVersion(reply.headers);
    this.#operations.push({
      kind: 'write',
      process,
      stated,
      result: resultOf(reply),
      ...spanOf(reply),
      ...(version !== undefined && { version }),
      ...(value !== undefined && { value }),
    });
  }

  /** Any read that shows a version: an instance or a page. */
  read(process: number, reply: Reply, value?: string): void {
    const version = versionOf(reply);
    if (typeof version === 'number')
      this.#operations.push({
        kind: 'read',
        process,
        version,
        ...spanOf(reply),
        ...(value !== undefined && { value }),
      });
  }

  breaches(): readonly Breach[] {
    return breachesOf({ start: this.#start, operations: this.#operations });
  }
}

function resultOf({ status }: Reply): 'accepted' | 'conflict' | 'unknown' {
  if (isSuccess(status)) return 'accepted';
  return status === 409 ? 'conflict' : 'unknown';
}

function spanOf({ exchange }: Reply): Span {
  return { invokedAt: exchange.sentAt, respondedAt: exchange.sentAt + exchange.durationMs };
}

interface Simulated {
  readonly operations: number;
  readonly processes: number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** What one register answers to processes that read, and write at the version that they saw last. For tests and measurements. */
export function makeTrueHistory({ operations, processes, random }: Simulated): RegisterHistory {
  const seen = Array.from({ length: processes }, () => 1);
  const freeFrom = Array.from({ length: processes }, () => 0);
  const done: RegisterOperation[] = [];
  let [version, value, now] = [1, 'value 1', 0];
  for (let count = 0; count < operations; count += 1) {
    const process = Math.floor(random() * processes);
    // it happens at `now`, between invocation and response
    now = Math.max(now, freeFrom[process] ?? 0) + random() + 0.001;
    const span = {
      invokedAt: Math.max(freeFrom[process] ?? 0, now - 4 * random()),
      respondedAt: now + random() / processes,
    };
    freeFrom[process] = span.respondedAt;
    if (random() < 0.5) {
      seen[process] = version;
      done.push({ kind: 'read', process, version, value, ...span });
      continue;
    }
    const stated = seen[process] ?? 1;
    const isAccepted = stated === version;
    if (isAccepted) [version, value] = [version + 1, `value ${version + 1}`];
    if (isAccepted) seen[process] = version;
    const isAnswered = !isAccepted || random() > 0.05;
    done.push(
      isAnswered
        ? answered(process, stated, isAccepted, value, span)
        : { kind: 'write', process, stated, result: 'unknown', value, ...span, respondedAt: Infinity },
    );
  }
  return { start: { version: 1, value: 'value 1' }, operations: done };
}

function answered(
  process: number,
  stated: number,
  isAccepted: boolean,
  value: string,
  span: { readonly invokedAt: number; readonly respondedAt: number },
): RegisterOperation {
  const write = { kind: 'write', process, stated, ...span } as const;
  return isAccepted ? { ...write, result: 'accepted', version: stated + 1, value } : { ...write, result: 'conflict' };
}
