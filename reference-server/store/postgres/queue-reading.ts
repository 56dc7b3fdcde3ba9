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
import type { Session } from './session.ts';
import { statement } from './statement.ts';
import { indexKey } from './text.ts';

const delivery = statement(`SELECT ${deliveryColumns} FROM deliveries WHERE id = $1`);
const owner = statement('SELECT lease_owner FROM deliveries WHERE id = $1');
const endpoints = statement('SELECT DISTINCT endpoint FROM deliveries WHERE ready_at <= $1');
const ready = statement(
  `SELECT ${deliveryColumns} FROM deliveries WHERE endpoint_key = $1 AND ready_at <= $2 ORDER BY sequence LIMIT $3`,
);
const elsewhere =
  'SELECT count(*) FROM deliveries WHERE lease_owner IS NOT NULL AND lease_owner <> $1 AND ready_at > $2';
const leased = statement(elsewhere);
const leasedOfEndpoint = statement(`${elsewhere} AND endpoint_key = $3`);
/** What is on lease of the host itself is stepped over, not read: there may be hundreds, and this is asked with every outcome. */
const next = statement(`
  SELECT min(at) FROM (
    SELECT min(ready_at) AS at FROM deliveries WHERE ready_at > $1 AND lease_owner IS NULL
    UNION ALL SELECT min(ready_at) FROM deliveries WHERE lease_owner > $2 AND ready_at > $1
    UNION ALL SELECT min(ready_at) FROM deliveries WHERE lease_owner < $2 AND ready_at > $1
  ) AS earliest`);
const rate = statement('SELECT started_at, executions, paused_until FROM rate_windows WHERE key = $1');
const log = statement('SELECT sequence, entry FROM delivery_log WHERE sequence > $1 ORDER BY sequence LIMIT $2');
const logOfEnvelope = statement(
  'SELECT sequence, entry FROM delivery_log WHERE sequence > $1 AND envelope_id = $2 ORDER BY sequence LIMIT $3',
);

/** Reads of the delivery queue. */
export function queueReadingOf(session: Session): QueueReading {
  return {
    async delivery(id) {
      const row = await session.one<DeliveryRow>(delivery, id);
      return row && deliveryFrom(row);
    },
    async leaseOwner(id) {
      return (await session.one<OwnerRow>(owner, id))?.[0] ?? undefined;
    },
    async readyEndpoints(now) {
      return (await session.all<EndpointRow>(endpoints, now)).map(([endpoint]) => endpoint);
    },
    async readyDeliveries(endpoint, now, limit) {
      return (await session.all<DeliveryRow>(ready, indexKey(endpoint), now, limit)).map(deliveryFrom);
    },
    async leasedElsewhere(host, now, endpoint) {
      const row =
        endpoint === undefined
          ? session.one<CountRow>(leased, host, now)
          : session.one<CountRow>(leasedOfEndpoint, host, now, indexKey(endpoint));
      return (await row)?.[0] ?? 0;
    },
    async nextReadyAt(host, now) {
      return (await session.one<TimeRow>(next, now, host))?.[0] ?? undefined;
    },
    async rateWindow(key) {
      const row = await session.one<RateRow>(rate, indexKey(key));
      return row && rateFrom(row);
    },
    async logEntries({ after, limit, envelopeId }) {
      const rows =
        envelopeId === undefined
          ? session.all<LogRow>(log, after, limit)
          : session.all<LogRow>(logOfEnvelope, after, envelopeId, limit);
      return (await rows).map(logEntryFrom);
    },
  };
}
