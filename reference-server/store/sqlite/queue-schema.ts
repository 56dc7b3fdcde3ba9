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
