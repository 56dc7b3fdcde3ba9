import { forgottenTogether, keptEntries } from '../log-length.ts';
import type { QueueWriting } from '../queue.ts';
import type { Session } from './session.ts';
import { statement } from './statement.ts';
import { indexKey } from './text.ts';

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

/** Writes of the delivery queue. */
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

type Times = 'scheduleDelivery' | 'holdDelivery' | 'holdEndpoint' | 'parkDelivery' | 'resumeRegistration';

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

type SequenceRow = readonly [sequence: number];

function records(session: Session): Pick<QueueWriting, 'putRateWindow' | 'appendLogEntry'> {
  return {
    async putRateWindow(key, { startedAt, executions, pausedUntil }) {
      await session.run(putRate, indexKey(key), startedAt, executions, pausedUntil);
    },
    async appendLogEntry(entry) {
      const [last = 0] =
        (await session.one<SequenceRow>(append, entry.envelopeId ?? null, JSON.stringify(entry))) ?? [];
      if (last % forgottenTogether === 0) await session.run(forget, last - keptEntries);
    },
  };
}
