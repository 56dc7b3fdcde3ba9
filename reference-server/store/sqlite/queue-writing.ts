import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { forgottenTogether, keptEntries } from '../log-length.ts';
import type { QueueWriting } from '../queue.ts';
import { once, touchOne } from './rows.ts';

type Prepared = (sql: string) => () => StatementSync;

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

type Times = 'scheduleDelivery' | 'holdDelivery' | 'holdEndpoint' | 'parkDelivery' | 'resumeRegistration';

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
