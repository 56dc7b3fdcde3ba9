import type { QueueReading, QueueWriting } from './deliveries.ts';
import { type Session, indexKey, statement } from './postgres-session.ts';
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

/** A page of the log, of the first or of the last entries, of all or of one envelope. */
const logPage = (order: 'ASC' | 'DESC', whose: string) =>
  statement(
    `SELECT sequence, entry FROM delivery_log WHERE sequence > $1 AND ${whose} ORDER BY sequence ${order} LIMIT $2`,
  );
const logPages = {
  first: { all: logPage('ASC', '$3::text IS NULL'), ofEnvelope: logPage('ASC', 'envelope_id = $3') },
  last: { all: logPage('DESC', '$3::text IS NULL'), ofEnvelope: logPage('DESC', 'envelope_id = $3') },
};

// change sets run one after another, so that the next number is one more than the greatest
const insert = statement(
  `INSERT INTO deliveries (sequence, id, endpoint, endpoint_key, registration_id, due_at, ready_at, attempts, delivery)
    SELECT coalesce(max(sequence), 0) + 1, $1::text, $2::text, $3::text, $4::text, $5::float8, $5::float8, 0, $6::text FROM deliveries`,
);

const remove = statement('DELETE FROM deliveries WHERE id = $1');

const lease = statement('UPDATE deliveries SET lease_owner = $2, ready_at = $3 WHERE id = $1');

const renew = statement('UPDATE deliveries SET ready_at = $2 WHERE lease_owner = $1');

const release = statement('UPDATE deliveries SET lease_owner = NULL, ready_at = due_at WHERE lease_owner = $1');

const schedule = statement(
  'UPDATE deliveries SET lease_owner = NULL, attempts = $2, due_at = $3, ready_at = $3 WHERE id = $1',
);

const hold = statement('UPDATE deliveries SET lease_owner = NULL, ready_at = $2 WHERE id = $1');

const holdAll = statement(
  'UPDATE deliveries SET lease_owner = NULL, ready_at = $3 WHERE endpoint_key = $1 AND ready_at <= $2',
);

const resume = statement(
  `UPDATE deliveries SET lease_owner = NULL, ready_at = due_at
    WHERE registration_id = $1 AND (ready_at IS NULL OR (lease_owner IS NOT NULL AND due_at > $2))`,
);

const putRate = statement(
  `INSERT INTO rate_windows (key, started_at, executions, paused_until) VALUES ($1, $2, $3, $4)
    ON CONFLICT (key) DO UPDATE SET started_at = excluded.started_at, executions = excluded.executions, paused_until = excluded.paused_until`,
);

const append = statement(
  `INSERT INTO delivery_log (sequence, envelope_id, entry) SELECT coalesce(max(sequence), 0) + 1, $1::text, $2::text FROM delivery_log RETURNING sequence`,
);

const forget = statement('DELETE FROM delivery_log WHERE sequence <= $1');

type Times = 'scheduleDelivery' | 'holdDelivery' | 'holdEndpoint' | 'parkDelivery' | 'resumeRegistration';

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
      const { all, ofEnvelope } = after === undefined ? logPages.last : logPages.first;
      const page = envelopeId === undefined ? all : ofEnvelope;
      const rows = await session.all<LogRow>(page, after ?? 0, limit, envelopeId ?? null);
      return (after === undefined ? rows.toReversed() : rows).map(logEntryFrom);
    },
  };
}

export function queueWritingOf(session: Session): QueueWriting {
  return { ...membership(session), ...leases(session), ...times(session), ...records(session) };
}

function membership(session: Session): Pick<QueueWriting, 'insertDelivery' | 'deleteDelivery'> {
  return {
    async insertDelivery(delivery, endpoint, dueAt) {
      session.hasQueued = true;
      const { id, registrationId } = delivery;
      await session.run(insert, id, endpoint, indexKey(endpoint), registrationId, dueAt, JSON.stringify(delivery));
    },
    async deleteDelivery(id) {
      return (await session.run(remove, id)) > 0;
    },
  };
}

function leases(session: Session): Pick<QueueWriting, 'leaseDelivery' | 'renewLeases' | 'releaseLeases'> {
  return {
    async leaseDelivery(id, host, until) {
      await session.touchOne(lease, `delivery ${id}`, id, host, until);
    },
    async renewLeases(host, until) {
      await session.run(renew, host, until);
    },
    async releaseLeases(host) {
      if ((await session.run(release, host)) > 0) session.hasQueued = true;
    },
  };
}

/** Every one of these ends a lease that has run out. */
function times(session: Session): Pick<QueueWriting, Times> {
  return {
    async scheduleDelivery(id, attempts, dueAt) {
      await session.touchOne(schedule, `delivery ${id}`, id, attempts, dueAt);
    },
    async holdDelivery(id, until) {
      await session.touchOne(hold, `delivery ${id}`, id, until);
    },
    async holdEndpoint(endpoint, now, until) {
      await session.run(holdAll, indexKey(endpoint), now, until);
    },
    async parkDelivery(id) {
      await session.touchOne(hold, `delivery ${id}`, id, null);
    },
    async resumeRegistration(registrationId, now) {
      if ((await session.run(resume, registrationId, now)) > 0) session.hasQueued = true;
    },
  };
}

function records(session: Session): Pick<QueueWriting, 'putRateWindow' | 'appendLogEntry'> {
  return {
    async putRateWindow(key, { startedAt, executions, pausedUntil }) {
      await session.run(putRate, indexKey(key), startedAt, executions, pausedUntil);
    },
    async appendLogEntry(entry) {
      const [last = 0] =
        (await session.one<readonly [sequence: number]>(append, entry.envelopeId ?? null, JSON.stringify(entry))) ?? [];
      if (last % forgottenTogether === 0) await session.run(forget, last - keptEntries);
    },
  };
}
