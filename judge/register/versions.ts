import type { Report } from './check.ts';
import type { RegisterHistory, RegisterOperation, WriteOperation } from './history.ts';

/** Every version that there was, with the moments between which it can have been the current one. */
export class Versions {
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
