import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type QueueSession, type QueueStatement, queueSql } from './queue.ts';

type Value = string | number | null;

/**
 * Tables of the delivery queue. `ready_at` is the time that a lease, a pause or the schedule allows, whichever is last, and NULL while the
 * registration is inactive; so what a host may take is one range of an index. `due_at` is what the schedule says.
 */
export const queueSchemaSql = `
  CREATE TABLE IF NOT EXISTS deliveries (
    sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, endpoint TEXT NOT NULL, registration_id TEXT NOT NULL,
    due_at REAL NOT NULL, ready_at REAL, attempts INTEGER NOT NULL, lease_owner TEXT, delivery TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS deliveries_by_ready ON deliveries (ready_at, endpoint, lease_owner);
  CREATE INDEX IF NOT EXISTS deliveries_by_endpoint ON deliveries (endpoint, sequence);
  CREATE INDEX IF NOT EXISTS deliveries_by_registration ON deliveries (registration_id);
  CREATE INDEX IF NOT EXISTS deliveries_free ON deliveries (ready_at) WHERE lease_owner IS NULL;
  DROP INDEX IF EXISTS deliveries_on_lease;
  CREATE INDEX IF NOT EXISTS deliveries_by_lease ON deliveries (lease_owner, ready_at) WHERE lease_owner IS NOT NULL;
  CREATE TABLE IF NOT EXISTS rate_windows (
    key TEXT PRIMARY KEY, started_at REAL NOT NULL, executions INTEGER NOT NULL, paused_until REAL NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS delivery_log (sequence INTEGER PRIMARY KEY, envelope_id TEXT, entry TEXT NOT NULL);
`;

const sql: Readonly<Record<QueueStatement, string>> = {
  ...queueSql('endpoint'),
  endpoints: 'SELECT DISTINCT endpoint FROM deliveries INDEXED BY deliveries_by_ready WHERE ready_at <= ?1',
  // what is on lease of the host itself is stepped over, not read: there may be hundreds, and this is asked with every outcome
  next: `
    SELECT min(at) FROM (
      SELECT min(ready_at) AS at FROM deliveries INDEXED BY deliveries_free WHERE ready_at > ?1 AND lease_owner IS NULL
      UNION ALL SELECT min(ready_at) FROM deliveries INDEXED BY deliveries_by_lease WHERE lease_owner > ?2 AND ready_at > ?1
      UNION ALL SELECT min(ready_at) FROM deliveries INDEXED BY deliveries_by_lease WHERE lease_owner < ?2 AND ready_at > ?1
    )`,
  // an endpoint is its own key here
  insert: `INSERT INTO deliveries (id, endpoint, registration_id, due_at, ready_at, attempts, delivery)
    VALUES (?1, ?2, ?4, ?5, ?5, 0, ?6)`,
  append: 'INSERT INTO delivery_log (envelope_id, entry) VALUES (?1, ?2) RETURNING sequence',
};

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

export function queueIn(database: DatabaseSync): QueueSession {
  const statements = Object.fromEntries(
    Object.entries(sql).map(([name, text]) => [name, once(() => query(database, text))]),
  ) as Readonly<Record<QueueStatement, () => StatementSync>>;
  return {
    all: async (name, ...values) => all(statements[name](), ...values),
    run: async (name, ...values) => Number(statements[name]().run(...values).changes),
    keyOf: (text) => text,
    noteQueued: () => undefined,
  };
}
