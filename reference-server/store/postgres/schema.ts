/** Raised by one with each change of the tables. */
export const schemaVersion = 1;

/**
 * Tables of a store that several hosts use. Texts are compared by their bytes. Entries are rows keyed by their place in the array, so that a page
 * is one range of the primary key, see ../gaps.ts; that key is checked when a statement has ended, as places move over each other. Documents and
 * endpoints, whose names may be of any length, are found by a key of theirs. Of times and the queue see ../sqlite/queue-schema.ts.
 */
export const schemaSql = `
  CREATE TABLE schema_version (version integer NOT NULL);
  CREATE TABLE objects (
    oid text COLLATE "C" PRIMARY KEY, space_id text COLLATE "C" NOT NULL, soft_type text COLLATE "C" NOT NULL, version bigint NOT NULL,
    content text NOT NULL
  );
  CREATE INDEX objects_by_soft_type ON objects (space_id, soft_type);
  CREATE TABLE entries (
    oid text COLLATE "C" NOT NULL, port text COLLATE "C" NOT NULL, place bigint NOT NULL, entry_id bigint NOT NULL, content text NOT NULL,
    PRIMARY KEY (oid, port, place) DEFERRABLE INITIALLY IMMEDIATE
  );
  CREATE UNIQUE INDEX entries_by_id ON entries (oid, port, entry_id);
  CREATE TABLE arrays (
    oid text COLLATE "C" NOT NULL, port text COLLATE "C" NOT NULL, count bigint NOT NULL, next_id bigint NOT NULL, gaps text NOT NULL,
    PRIMARY KEY (oid, port)
  );
  CREATE TABLE documents (
    kind text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, text text NOT NULL, PRIMARY KEY (kind, key)
  );
  CREATE TABLE deliveries (
    sequence bigint PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, endpoint text COLLATE "C" NOT NULL, endpoint_key text COLLATE "C" NOT NULL,
    registration_id text COLLATE "C" NOT NULL, due_at double precision NOT NULL, ready_at double precision, attempts integer NOT NULL,
    lease_owner text COLLATE "C", delivery text NOT NULL
  );
  CREATE INDEX deliveries_by_ready ON deliveries (ready_at);
  CREATE INDEX deliveries_by_endpoint ON deliveries (endpoint_key, sequence);
  CREATE INDEX deliveries_by_registration ON deliveries (registration_id);
  CREATE INDEX deliveries_free ON deliveries (ready_at) WHERE lease_owner IS NULL;
  CREATE INDEX deliveries_by_lease ON deliveries (lease_owner, ready_at) WHERE lease_owner IS NOT NULL;
  CREATE TABLE rate_windows (
    key text COLLATE "C" PRIMARY KEY, started_at double precision NOT NULL, executions integer NOT NULL, paused_until double precision NOT NULL
  );
  CREATE TABLE delivery_log (sequence bigint PRIMARY KEY, envelope_id text COLLATE "C", entry text NOT NULL);
`;
