import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Content, StoredEntry, StoredObject } from '../store.ts';
import type { Gaps } from './gaps.ts';

/** Rows as the statements of this folder return them; the one place where the columns of SQLite become types. */
export type ObjectRow = readonly [softType: string, version: number, content: string];

export type HoldingRow = readonly [oid: string, version: number, content: string];
export type EntryRow = readonly [entryId: number, content: string];
export type PlaceRow = readonly [place: number];
export type IdRow = readonly [entryId: number];
/** `gaps` is JSON. */
export type ArrayRow = readonly [count: number, nextId: number, gaps: string];

export type TextRow = readonly [text: string];

export type DocumentRow = readonly [id: string, text: string];

type Value = string | number | null;

/** What is prepared when it is first needed: a server that never asks does not pay. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** A statement whose rows come as arrays, which cost half of what records cost. */
export function query(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

export function one<Row>(statement: StatementSync, ...values: readonly Value[]): Row | undefined {
  return statement.get(...values) as Row | undefined;
}

export function all<Row>(statement: StatementSync, ...values: readonly Value[]): readonly Row[] {
  return statement.all(...values) as unknown as readonly Row[];
}

export function each<Row>(statement: StatementSync, ...values: readonly Value[]): IterableIterator<Row> {
  return statement.iterate(...values) as unknown as IterableIterator<Row>;
}

/** Runs a statement that has to touch exactly one row. @throws {Error} it touched none: the caller names what is not there */
export function touchOne(statement: StatementSync, subject: string, ...values: readonly Value[]): void {
  const { changes } = statement.run(...values);
  if (changes !== 1) throw new Error(`The store was told to change ${subject}, which it does not hold.`);
}

/** The content is decoded by the first who looks at it: a read that is remembered needs no more than the version. */
export function objectFrom(spaceId: string, oid: string, [softType, version, text]: ObjectRow): StoredObject {
  let content: Content | undefined;
  return {
    spaceId,
    oid,
    softType,
    version,
    get content() {
      return (content ??= contentFrom(text));
    },
  };
}

export function entryFrom([entryId, text]: EntryRow): StoredEntry {
  return { entryId, content: contentFrom(text) };
}

export interface ArrayState {
  readonly count: number;
  readonly nextId: number;
  readonly gaps: Gaps;
}

export function arrayFrom([count, nextId, gaps]: ArrayRow): ArrayState {
  return { count, nextId, gaps: gaps === '[]' ? [] : (JSON.parse(gaps) as Gaps) };
}

function contentFrom(text: string): Content {
  return JSON.parse(text) as Content;
}
