import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { QueueReading } from '../queue.ts';
import {
  deliveryColumns,
  deliveryFrom,
  logEntryFrom,
  rateFrom,
  type CountRow,
  type DeliveryRow,
  type EndpointRow,
  type LogRow,
  type OwnerRow,
  type RateRow,
  type TimeRow,
} from '../queue-rows.ts';
import { all, once, one, query } from './rows.ts';

/** What is on lease of the host itself is stepped over, not read: there may be hundreds, and this is asked with every outcome. */
const nextReadySql = `
  SELECT min(at) FROM (
    SELECT min(ready_at) AS at FROM deliveries INDEXED BY deliveries_free WHERE ready_at > ?1 AND lease_owner IS NULL
    UNION ALL SELECT min(ready_at) FROM deliveries INDEXED BY deliveries_by_lease WHERE lease_owner > ?2 AND ready_at > ?1
    UNION ALL SELECT min(ready_at) FROM deliveries INDEXED BY deliveries_by_lease WHERE lease_owner < ?2 AND ready_at > ?1
  )`;

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
  const entries = prepared('SELECT sequence, entry FROM delivery_log WHERE sequence > ? ORDER BY sequence LIMIT ? + 0');
  const ofEnvelope = prepared(
    'SELECT sequence, entry FROM delivery_log WHERE sequence > ? AND envelope_id = ? ORDER BY sequence LIMIT ? + 0',
  );
  return async ({ after, limit, envelopeId }) => {
    const rows =
      envelopeId === undefined
        ? all<LogRow>(entries(), after, limit)
        : all<LogRow>(ofEnvelope(), after, envelopeId, limit);
    return rows.map(logEntryFrom);
  };
}
