import { type Session, indexKey, statement } from './postgres-session.ts';
import { type QueueSession, type QueueStatement, queueSql } from './queue.ts';

const sql: Readonly<Record<QueueStatement, string>> = {
  ...queueSql('endpoint_key'),
  endpoints: 'SELECT DISTINCT endpoint FROM deliveries WHERE ready_at <= ?1',
  // what is on lease of the host itself is stepped over, not read: there may be hundreds, and this is asked with every outcome
  next: `
    SELECT min(at) FROM (
      SELECT min(ready_at) AS at FROM deliveries WHERE ready_at > ?1 AND lease_owner IS NULL
      UNION ALL SELECT min(ready_at) FROM deliveries WHERE lease_owner > ?2 AND ready_at > ?1
      UNION ALL SELECT min(ready_at) FROM deliveries WHERE lease_owner < ?2 AND ready_at > ?1
    ) AS earliest`,
  // change sets run one after another, so that the next number is one more than the greatest
  insert: `INSERT INTO deliveries (sequence, id, endpoint, endpoint_key, registration_id, due_at, ready_at, attempts, delivery)
    SELECT coalesce(max(sequence), 0) + 1, ?1::text, ?2::text, ?3::text, ?4::text, ?5::float8, ?5::float8, 0, ?6::text FROM deliveries`,
  append: `INSERT INTO delivery_log (sequence, envelope_id, entry)
    SELECT coalesce(max(sequence), 0) + 1, ?1::text, ?2::text FROM delivery_log RETURNING sequence`,
};

const statements = Object.fromEntries(
  Object.entries(sql).map(([name, text]) => [name, statement(text.replaceAll(/\?(\d)/g, '$$$1'))]),
) as Readonly<Record<QueueStatement, ReturnType<typeof statement>>>;

export function queueIn(session: Session): QueueSession {
  return {
    all: (name, ...values) => session.all(statements[name], ...values),
    run: (name, ...values) => session.run(statements[name], ...values),
    keyOf: indexKey,
    noteQueued: () => {
      session.hasQueued = true;
    },
  };
}
