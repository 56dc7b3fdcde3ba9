import type { StatementSync } from 'node:sqlite';
import type { Content, StoredEntry, StoredObject } from '../store.ts';

/** Rows as the statements of this folder return them; the one place where the columns of SQLite become types. */
export type ObjectRow = readonly [softType: string, version: number, content: string];

export interface EntryRow {
  readonly ordinal: number;
  readonly entry_id: number;
  readonly content: string;
}

export interface ArrayRow {
  readonly count: number;
  readonly next_id: number;
}

export interface TextRow {
  readonly text: string;
}

type Value = string | number;

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

/** A statement whose rows come as arrays, which costs half of rows as records. */
export function tuples(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  return statement;
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

export function entryFrom(row: EntryRow): StoredEntry {
  return { entryId: row.entry_id, content: contentFrom(row.content) };
}

function contentFrom(text: string): Content {
  return JSON.parse(text) as Content;
}
