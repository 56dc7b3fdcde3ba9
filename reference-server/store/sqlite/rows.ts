import type { StatementSync } from 'node:sqlite';
import type { Content, StoredEntry, StoredObject } from '../store.ts';

/** Rows as the statements of this folder return them; the one place where the columns of SQLite become types. */
export interface ObjectRow {
  readonly oid: string;
  readonly space_id: string;
  readonly soft_type: string;
  readonly version: number;
  readonly content: string;
}

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

export function objectFrom(row: ObjectRow): StoredObject {
  return {
    spaceId: row.space_id,
    oid: row.oid,
    softType: row.soft_type,
    version: row.version,
    content: contentFrom(row.content),
  };
}

export function entryFrom(row: EntryRow): StoredEntry {
  return { entryId: row.entry_id, content: contentFrom(row.content) };
}

function contentFrom(text: string): Content {
  return JSON.parse(text) as Content;
}
