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

const elsewhere =
  'SELECT count(*) FROM deliveries WHERE lease_owner IS NOT NULL AND lease_owner <> ?1 AND ready_at > ?2';

// a bare LIMIT ? makes SQLite plan the statement anew each time, which takes ten times as long as running it
const logPage = (order: 'ASC' | 'DESC', whose: string) =>
  `SELECT sequence, entry FROM delivery_log WHERE sequence > ?1 AND ${whose} ORDER BY sequence ${order} LIMIT ?2 + 0`;

const [ofAll, ofEnvelope] = ['CAST(?3 AS text) IS NULL', 'envelope_id = ?3'];

/** What every database is told in the same words, with values ?1, ?2 and so on. @param endpoint the column by which an endpoint is found */
export function queueSql(endpoint: string) {
  return {
    delivery: `SELECT ${deliveryColumns} FROM deliveries WHERE id = ?1`,
    owner: 'SELECT lease_owner FROM deliveries WHERE id = ?1',
    ready: `SELECT ${deliveryColumns} FROM deliveries WHERE ${endpoint} = ?1 AND ready_at <= ?2 ORDER BY sequence LIMIT ?3 + 0`,
    leased: elsewhere,
    leasedOfEndpoint: `${elsewhere} AND ${endpoint} = ?3`,
    rate: 'SELECT started_at, executions, paused_until FROM rate_windows WHERE key = ?1',
    firstOfAll: logPage('ASC', ofAll),
    lastOfAll: logPage('DESC', ofAll),
    firstOfEnvelope: logPage('ASC', ofEnvelope),
    lastOfEnvelope: logPage('DESC', ofEnvelope),
    remove: 'DELETE FROM deliveries WHERE id = ?1',
    lease: 'UPDATE deliveries SET lease_owner = ?2, ready_at = ?3 WHERE id = ?1',
    renew: 'UPDATE deliveries SET ready_at = ?2 WHERE lease_owner = ?1',
    release: 'UPDATE deliveries SET lease_owner = NULL, ready_at = due_at WHERE lease_owner = ?1',
    schedule: 'UPDATE deliveries SET lease_owner = NULL, attempts = ?2, due_at = ?3, ready_at = ?3 WHERE id = ?1',
    hold: 'UPDATE deliveries SET lease_owner = NULL, ready_at = ?2 WHERE id = ?1',
    holdAll: `UPDATE deliveries SET lease_owner = NULL, ready_at = ?3 WHERE ${endpoint} = ?1 AND ready_at <= ?2`,
    resume: `UPDATE deliveries SET lease_owner = NULL, ready_at = due_at
      WHERE registration_id = ?1 AND (ready_at IS NULL OR (lease_owner IS NOT NULL AND due_at > ?2))`,
    putRate: `INSERT INTO rate_windows (key, started_at, executions, paused_until) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (key) DO UPDATE SET started_at = excluded.started_at, executions = excluded.executions, paused_until = excluded.paused_until`,
    forget: 'DELETE FROM delivery_log WHERE sequence <= ?1',
  };
}

/** Statements by what they are for; each database has its own words for the last four. */
export type QueueStatement = keyof ReturnType<typeof queueSql> | 'endpoints' | 'next' | 'insert' | 'append';

/** A database that knows the statements of the queue. */
export interface QueueSession {
  /** Rows come as arrays of their columns. */
  all<Row>(statement: QueueStatement, ...values: readonly (string | number | null)[]): Promise<readonly Row[]>;
  /** @returns number of rows that it touched */
  run(statement: QueueStatement, ...values: readonly (string | number | null)[]): Promise<number>;
  /** What an index holds of a text. */
  keyOf(text: string): string;
  /** Told that deliveries may have become ready. */
  noteQueued(): void;
}

export function queueReadingOf(session: QueueSession): QueueReading {
  const one = async <Row>(...asked: Parameters<QueueSession['all']>): Promise<Row | undefined> =>
    (await session.all<Row>(...asked))[0];
  return {
    async delivery(id) {
      const row = await one<DeliveryRow>('delivery', id);
      return row && deliveryFrom(row);
    },
    async leaseOwner(id) {
      return (await one<OwnerRow>('owner', id))?.[0] ?? undefined;
    },
    async readyEndpoints(now) {
      return (await session.all<EndpointRow>('endpoints', now)).map(([endpoint]) => endpoint);
    },
    async readyDeliveries(endpoint, now, limit) {
      return (await session.all<DeliveryRow>('ready', session.keyOf(endpoint), now, limit)).map(deliveryFrom);
    },
    async leasedElsewhere(host, now, endpoint) {
      const row =
        endpoint === undefined
          ? one<CountRow>('leased', host, now)
          : one<CountRow>('leasedOfEndpoint', host, now, session.keyOf(endpoint));
      return (await row)?.[0] ?? 0;
    },
    async nextReadyAt(host, now) {
      return (await one<TimeRow>('next', now, host))?.[0] ?? undefined;
    },
    async rateWindow(key) {
      const row = await one<RateRow>('rate', session.keyOf(key));
      return row && rateFrom(row);
    },
    async logEntries({ after, limit, envelopeId }) {
      const whose = envelopeId === undefined ? 'OfAll' : 'OfEnvelope';
      const page = after === undefined ? (`last${whose}` as const) : (`first${whose}` as const);
      const rows = await session.all<LogRow>(page, after ?? 0, limit, envelopeId ?? null);
      return (after === undefined ? rows.toReversed() : rows).map(logEntryFrom);
    },
  };
}

export function queueWritingOf(session: QueueSession): QueueWriting {
  const touchOne = async (statement: QueueStatement, id: string, ...values: readonly (string | number | null)[]) => {
    if ((await session.run(statement, id, ...values)) === 1) return;
    throw new Error(`The store was told to change delivery ${id}, which it does not hold.`);
  };
  return {
    async insertDelivery(delivery, endpoint, dueAt) {
      session.noteQueued();
      const { id, registrationId } = delivery;
      await session.run(
        'insert',
        id,
        endpoint,
        session.keyOf(endpoint),
        registrationId,
        dueAt,
        JSON.stringify(delivery),
      );
    },
    async deleteDelivery(id) {
      await session.run('remove', id);
    },
    async leaseDelivery(id, host, until) {
      await touchOne('lease', id, host, until);
    },
    async renewLeases(host, until) {
      await session.run('renew', host, until);
    },
    async releaseLeases(host) {
      if ((await session.run('release', host)) > 0) session.noteQueued();
    },
    // every one of these ends a lease that has run out
    async scheduleDelivery(id, attempts, dueAt) {
      await touchOne('schedule', id, attempts, dueAt);
    },
    async holdDelivery(id, until) {
      await touchOne('hold', id, until);
    },
    async holdEndpoint(endpoint, now, until) {
      await session.run('holdAll', session.keyOf(endpoint), now, until);
    },
    async parkDelivery(id) {
      await touchOne('hold', id, null);
    },
    async resumeRegistration(registrationId, now) {
      if ((await session.run('resume', registrationId, now)) > 0) session.noteQueued();
    },
    async putRateWindow(key, { startedAt, executions, pausedUntil }) {
      await session.run('putRate', session.keyOf(key), startedAt, executions, pausedUntil);
    },
    async appendLogEntry(entry) {
      const [row] = await session.all<readonly [sequence: number]>(
        'append',
        entry.envelopeId ?? null,
        JSON.stringify(entry),
      );
      const [last = 0] = row ?? [];
      if (last % forgottenTogether === 0) await session.run('forget', last - keptEntries);
    },
  };
}
