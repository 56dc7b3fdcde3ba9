// oxlint-disable-next-line no-restricted-imports -- what arrived is kept as it came, for whoever named the file
import { closeSync, openSync, writeSync } from 'node:fs';
import { entryLine, type Entry } from './entry.ts';

/** Entries kept in memory; older ones are forgotten. */
const mostEntries = 100_000;

type EntryFilter = (entry: Entry) => boolean;

/** Everything that arrived at a listener, in memory and, where a file is named, as JSON lines: a line is written when its request has ended. */
export class Journal {
  #entries: Entry[] = [];
  readonly #byBase = new Map<string, Entry[]>();
  readonly #addedAt = new WeakMap<Entry, number>();
  readonly #listeners = new Set<(entry: Entry) => void>();
  readonly #file: number | undefined;

  constructor(file?: string) {
    this.#file = file === undefined ? undefined : openSync(file, 'a');
  }

  /** Oldest first. */
  entries(filter: EntryFilter = () => true): readonly Entry[] {
    return this.#entries.filter(filter);
  }

  /** Those of one site, oldest first. */
  entriesAt(base: string): readonly Entry[] {
    return this.#byBase.get(base) ?? [];
  }

  /** When it arrived, in ms of `performance.now`; NaN where it is none of these. */
  addedAt(entry: Entry): number {
    return this.#addedAt.get(entry) ?? Number.NaN;
  }

  add(entry: Entry): void {
    this.#addedAt.set(entry, performance.now());
    this.#entries.push(entry);
    const siblings = this.#byBase.get(entry.base);
    if (siblings === undefined) this.#byBase.set(entry.base, [entry]);
    else siblings.push(entry);
    if (this.#entries.length > mostEntries) this.#forget();
    this.#tell(entry);
  }

  finish(entry: Entry): void {
    if (this.#file !== undefined) writeSync(this.#file, `${entryLine(entry)}\n`);
    this.#tell(entry);
  }

  /** Forgets what has arrived; a file keeps it, and numbers go on. */
  clear(): void {
    this.#entries = [];
    this.#byBase.clear();
  }

  /** Calls back whenever an entry was added or ended. Returns what ends it. */
  watch(changed: (entry: Entry) => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  /** The entries that the filter admits, once there are `count` of them or the signal aborts. */
  async await(filter: EntryFilter, count: number, signal: AbortSignal): Promise<readonly Entry[]> {
    const found = this.entries(filter);
    if (found.length >= count || signal.aborted) return found;
    const { promise, resolve } = Promise.withResolvers<void>();
    const unwatch = this.watch(() => {
      if (this.entries(filter).length >= count) resolve();
    });
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise.finally(unwatch);
    return this.entries(filter);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }

  #forget(): void {
    this.#entries = this.#entries.slice(mostEntries / 10);
    this.#byBase.clear();
    for (const [base, entries] of Map.groupBy(this.#entries, ({ base }) => base)) this.#byBase.set(base, entries);
  }

  #tell(entry: Entry): void {
    for (const listener of this.#listeners) listener(entry);
  }
}
