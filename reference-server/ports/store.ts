import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueueReading, QueueWriting } from './deliveries.ts';

/** A JSON object as it is stored. */
export type Content = { readonly [member: string]: unknown };

/** An object without its array ports, which are rows of their own. */
export interface StoredObject {
  readonly spaceId: string;
  readonly oid: string;
  readonly softType: string;
  readonly version: number;
  /** Canonical root members that have a value, array ports left out. */
  readonly content: Content;
}

/** One entry of an array port. Arrays inside an entry are part of its content, each item with its own `$entryId`. */
export interface StoredEntry {
  readonly entryId: number;
  readonly content: Content;
}

/** Dense positions: the first entry has ordinal 0, the range is [from, to). */
export interface OrdinalRange {
  readonly from: number;
  readonly to: number;
}

/** Admits entries whose member equals the value. */
export interface EntryCondition {
  readonly member: string;
  readonly value: string;
}

export interface StoredDocument {
  readonly id: string;
  readonly text: string;
}

export interface Reading extends QueueReading {
  object(spaceId: string, oid: string): Promise<StoredObject | undefined>;
  /** Number of entries of the port, or of those that the condition admits. */
  countEntries(oid: string, port: string, condition?: EntryCondition): Promise<number>;
  /** Entries in order; with a condition the range counts admitted entries only. */
  entries(oid: string, port: string, range: OrdinalRange, condition?: EntryCondition): Promise<readonly StoredEntry[]>;
  entry(oid: string, port: string, entryId: number): Promise<StoredEntry | undefined>;
  /** Objects of the definition in whose content the text stands, at most `limit` of them. Walks the objects of the definition. */
  objectsHolding(spaceId: string, softType: string, text: string, limit: number): Promise<readonly StoredObject[]>;
  /** A document that is not a SoftType (a user profile, for example), with the text it was stored as. */
  document(kind: string, id: string): Promise<string | undefined>;
  /** All documents of the kind, in the order of their ids. */
  documents(kind: string): Promise<readonly StoredDocument[]>;
}

export interface Writing extends Reading, QueueWriting {
  insertObject(object: StoredObject): Promise<void>;
  updateObject(spaceId: string, oid: string, version: number, content: Content): Promise<void>;
  /** Deletes the object with all its entries. */
  deleteObject(spaceId: string, oid: string): Promise<void>;
  /** Appends behind the last entry; ids are integers from 1 per array and never given twice. Returns the new ids in order. */
  appendEntries(oid: string, port: string, contents: readonly Content[]): Promise<readonly number[]>;
  updateEntry(oid: string, port: string, entryId: number, content: Content): Promise<void>;
  /** Removes the entry; later entries move up so that ordinals stay dense. */
  removeEntry(oid: string, port: string, entryId: number): Promise<void>;
  /** Replaces the whole array; an item with a known `entryId` keeps it, others get a new one. */
  replaceEntries(
    oid: string,
    port: string,
    items: readonly { readonly entryId?: number; readonly content: Content }[],
  ): Promise<void>;
  putDocument(kind: string, id: string, text: string): Promise<void>;
  /** One that is not there stays so. */
  deleteDocument(kind: string, id: string): Promise<void>;
  /** Nothing is left, of the queue neither: as a store that was just made. */
  empty(): Promise<void>;
}

/**
 * Where the service keeps everything. A change set is applied whole or not at all and is durable when `change` resolves;
 * when `work` rejects, nothing of it remains. Change sets run one after another; several of one event-loop turn share a commit.
 * Work uses what it is handed: `read` and `change` inside it reject, as they would wait for it. See nesting.ts.
 */
export interface Store {
  /** Whether other processes may use it at the same time. */
  readonly isShared?: boolean;
  read<T>(work: (reading: Reading) => Promise<T>): Promise<T>;
  change<T>(work: (writing: Writing) => Promise<T>): Promise<T>;
  /**
   * Tells when another process has queued deliveries or given them back; where it is not there, or cannot tell for a while, whoever needs to know
   * looks now and then. @returns ends it
   */
  watch?(told: () => void): () => void;
  close(): Promise<void>;
}

/** The disk has no room for a change set, of which nothing is kept. */
export class StoreFullError extends Error {
  readonly code = 'STORE_FULL';
  override readonly name = 'StoreFullError';
}

/** The store cannot be asked at the moment. What was under way did not happen, or it cannot be told whether it did. */
export class StoreUnavailableError extends Error {
  readonly code = 'STORE_UNAVAILABLE';
  override readonly name = 'StoreUnavailableError';
}

/** The work of a read or of a change set, while it goes on. */
interface Visit {
  readonly store: object;
  readonly kind: 'read' | 'change';
  isOpen: boolean;
}

const visits = new AsyncLocalStorage<Visit | undefined>();

/** A read or a change set that was asked for inside the work of another one, whose end it would wait for, for ever. */
export class NestedStoreError extends Error {
  readonly code = 'NESTED_STORE_CALL';

  constructor(inner: Visit['kind'], outer: Visit['kind']) {
    super(
      `Expected no store.${inner}() inside the work of a store.${outer}(), which would wait for itself: ` +
        `use what that work was handed, or call \`detach\` for what begins there and is not waited for.`,
    );
    this.name = 'NestedStoreError';
  }
}

/** @throws {NestedStoreError} the caller works in that store already */
export function assertOutside(store: object, kind: Visit['kind']): void {
  const visit = visits.getStore();
  if (visit?.isOpen && visit.store === store) throw new NestedStoreError(kind, visit.kind);
}

/** Runs the work of a read or of a change set, so that what it asks for is known to be inside. */
export async function visiting<T>(store: object, kind: Visit['kind'], work: () => Promise<T>): Promise<T> {
  const visit: Visit = { store, kind, isOpen: true };
  try {
    return await visits.run(visit, work);
  } finally {
    visit.isOpen = false;
  }
}

/** Begins something that the change set around it does not wait for. */
export function detach<T>(work: () => T): T {
  return visits.run(undefined, work);
}

export function admits({ member, value }: EntryCondition, { content }: StoredEntry): boolean {
  return Object.hasOwn(content, member) && String(content[member]) === value;
}

/** @throws {RangeError} a range that no array has */
export function assertRange({ from, to }: OrdinalRange): void {
  if (Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && to >= from) return;
  throw new RangeError(`Expected an ordinal range of integers 0 <= from <= to, found [${from}, ${to}).`);
}

/** Content is kept as JSON, so a text is looked up the way it is spelled there. */
export function spelledInContent(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
