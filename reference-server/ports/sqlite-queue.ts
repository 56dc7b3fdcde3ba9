import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { QueueReading, QueueWriting } from './deliveries.ts';
import {
  type CountRow,
  type DeliveryRow,
  type EndpointRow,
  type LogRow,
  type OwnerRow,
  type RateRow,
  type TimeRow,
  deliveryColumns,
  deliveryFrom,
  forgottenTogether,
  keptEntries,
  logEntryFrom,
  rateFrom,
} from './rows.ts';

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

/** What is on lease of the host itself is stepped over, not read: there may be hundreds, and this is asked with every outcome. */
const nextReadySql = `
  SELECT min(at) FROM (
    SELECT min(ready_at) AS at FROM deliveries INDEXED BY deliveries_free WHERE ready_at > ?1 AND lease_owner IS NULL
    UNION ALL SELECT min(ready_at) FROM deliveries INDEXED BY deliveries_by_lease WHERE lease_owner > ?2 AND ready_at > ?1
    UNION ALL SELECT min(ready_at) FROM deliveries INDEXED BY deliveries_by_lease WHERE lease_owner < ?2 AND ready_at > ?1
  )`;

type Prepared = (sql: string) => () => StatementSync;

type Times = 'scheduleDelivery' | 'holdDelivery' | 'holdEndpoint' | 'parkDelivery' | 'resumeRegistration';

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

/** Reads of the delivery queue; each statement is prepared when it is first asked for. */
export function queueReadingOf(database: DatabaseSync): QueueReading {
  const prepared = (sql: string): (() => StatementSync) => once(() => query(database, sql));
  const delivery = prepared(`SELECT ${deliveryColumns} FROM deliveries WHERE id = ?`);
  const owner = prepared('SELECT lease_owner FROM deliveries WHERE id = ?');
  const endpoints = prepared(
    'SELECT DISTINCT endpoint FROM deliveries INDEXED BY deliveries_by_ready WHERE ready_at <= ?',
  );
  // a bare LIMIT ? makes SQLite plan the statement anew each time, which takes ten times as long as running it
  const ready = prepared(
    `SELECT ${deliveryColumns} FROM deliveries WHERE endpoint = ? AND ready_at <= ? ORDER BY sequence LIMIT ? + 0`,
  );
  const elsewhere =
    'SELECT count(*) FROM deliveries WHERE lease_owner IS NOT NULL AND lease_owner <> ? AND ready_at > ?';
  const leased = prepared(elsewhere);
  const leasedOfEndpoint = prepared(`${elsewhere} AND endpoint = ?`);
  const next = prepared(nextReadySql);
  const rate = prepared('SELECT started_at, executions, paused_until FROM rate_windows WHERE key = ?');
  return {
    async delivery(id) {
      const row = one<DeliveryRow>(delivery(), id);
      return row && deliveryFrom(row);
    },
    async leaseOwner(id) {
      return one<OwnerRow>(owner(), id)?.[0] ?? undefined;
    },
    async readyEndpoints(now) {
      return all<EndpointRow>(endpoints(), now).map(([endpoint]) => endpoint);
    },
    async readyDeliveries(endpoint, now, limit) {
      return all<DeliveryRow>(ready(), endpoint, now, limit).map(deliveryFrom);
    },
    async leasedElsewhere(host, now, endpoint) {
      const row =
        endpoint === undefined
          ? one<CountRow>(leased(), host, now)
          : one<CountRow>(leasedOfEndpoint(), host, now, endpoint);
      return row?.[0] ?? 0;
    },
    async nextReadyAt(host, now) {
      return one<TimeRow>(next(), now, host)?.[0] ?? undefined;
    },
    async rateWindow(key) {
      const row = one<RateRow>(rate(), key);
      return row && rateFrom(row);
    },
    logEntries: logReadingOf(prepared),
  };
}

function logReadingOf(prepared: (sql: string) => () => StatementSync): QueueReading['logEntries'] {
  const page = (order: 'ASC' | 'DESC', whose = '') =>
    prepared(
      `SELECT sequence, entry FROM delivery_log WHERE sequence > ? ${whose} ORDER BY sequence ${order} LIMIT ? + 0`,
    );
  const ofEnvelope = 'AND envelope_id = ?';
  const first = { all: page('ASC'), ofEnvelope: page('ASC', ofEnvelope) };
  const last = { all: page('DESC'), ofEnvelope: page('DESC', ofEnvelope) };
  return async ({ after, limit, envelopeId }) => {
    const pages = after === undefined ? last : first;
    const rows =
      envelopeId === undefined
        ? all<LogRow>(pages.all(), after ?? 0, limit)
        : all<LogRow>(pages.ofEnvelope(), after ?? 0, envelopeId, limit);
    return (after === undefined ? rows.toReversed() : rows).map(logEntryFrom);
  };
}

/** Writes of the delivery queue; each statement is prepared when it is first asked for. */
export function queueWritingOf(database: DatabaseSync): QueueWriting {
  const prepared: Prepared = (sql) => once(() => database.prepare(sql));
  return { ...membership(prepared), ...leases(prepared), ...times(prepared), ...records(prepared) };
}

function membership(prepared: Prepared): Pick<QueueWriting, 'insertDelivery' | 'deleteDelivery'> {
  const insert = prepared(
    `INSERT INTO deliveries (id, endpoint, registration_id, due_at, ready_at, attempts, delivery) VALUES (?, ?, ?, ?, ?, 0, ?)`,
  );
  const remove = prepared('DELETE FROM deliveries WHERE id = ?');
  return {
    async insertDelivery(delivery, endpoint, dueAt) {
      insert().run(delivery.id, endpoint, delivery.registrationId, dueAt, dueAt, JSON.stringify(delivery));
    },
    async deleteDelivery(id) {
      return remove().run(id).changes > 0;
    },
  };
}

function leases(prepared: Prepared): Pick<QueueWriting, 'leaseDelivery' | 'renewLeases' | 'releaseLeases'> {
  const lease = prepared('UPDATE deliveries SET lease_owner = ?, ready_at = ? WHERE id = ?');
  const renew = prepared('UPDATE deliveries SET ready_at = ? WHERE lease_owner = ?');
  const release = prepared('UPDATE deliveries SET lease_owner = NULL, ready_at = due_at WHERE lease_owner = ?');
  return {
    async leaseDelivery(id, host, until) {
      touchOne(lease(), `delivery ${id}`, host, until, id);
    },
    async renewLeases(host, until) {
      renew().run(until, host);
    },
    async releaseLeases(host) {
      release().run(host);
    },
  };
}

/** Every one of these ends a lease that has run out. */
function times(prepared: Prepared): Pick<QueueWriting, Times> {
  const schedule = prepared(
    'UPDATE deliveries SET lease_owner = NULL, attempts = ?, due_at = ?, ready_at = ? WHERE id = ?',
  );
  const hold = prepared('UPDATE deliveries SET lease_owner = NULL, ready_at = ? WHERE id = ?');
  const holdAll = prepared(
    'UPDATE deliveries SET lease_owner = NULL, ready_at = ? WHERE endpoint = ? AND ready_at <= ?',
  );
  const resume = prepared(
    `UPDATE deliveries SET lease_owner = NULL, ready_at = due_at
      WHERE registration_id = ? AND (ready_at IS NULL OR (lease_owner IS NOT NULL AND due_at > ?))`,
  );
  return {
    async scheduleDelivery(id, attempts, dueAt) {
      touchOne(schedule(), `delivery ${id}`, attempts, dueAt, dueAt, id);
    },
    async holdDelivery(id, until) {
      touchOne(hold(), `delivery ${id}`, until, id);
    },
    async holdEndpoint(endpoint, now, until) {
      holdAll().run(until, endpoint, now);
    },
    async parkDelivery(id) {
      touchOne(hold(), `delivery ${id}`, null, id);
    },
    async resumeRegistration(registrationId, now) {
      resume().run(registrationId, now);
    },
  };
}

function records(prepared: Prepared): Pick<QueueWriting, 'putRateWindow' | 'appendLogEntry'> {
  const putRate = prepared(
    'INSERT OR REPLACE INTO rate_windows (key, started_at, executions, paused_until) VALUES (?, ?, ?, ?)',
  );
  const append = prepared('INSERT INTO delivery_log (envelope_id, entry) VALUES (?, ?)');
  const forget = prepared('DELETE FROM delivery_log WHERE sequence <= ?');
  return {
    async putRateWindow(key, { startedAt, executions, pausedUntil }) {
      putRate().run(key, startedAt, executions, pausedUntil);
    },
    async appendLogEntry(entry) {
      const { lastInsertRowid } = append().run(entry.envelopeId ?? null, JSON.stringify(entry));
      const last = Number(lastInsertRowid);
      if (last % forgottenTogether === 0) forget().run(last - keptEntries);
    },
  };
}
