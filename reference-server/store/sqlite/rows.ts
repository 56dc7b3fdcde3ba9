import type { DatabaseSync, StatementSync } from 'node:sqlite';

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
