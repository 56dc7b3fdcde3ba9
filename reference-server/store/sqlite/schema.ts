import { queueSchemaSql } from './queue-schema.ts';

/**
 * Tables of the embedded store. Entries are rows keyed by their place in the array, so that a page is one range of the primary key.
 * Places of removed entries stay free for a while, see ../gaps.ts; `arrays` holds them with the number of entries and the id that comes next.
 */
export const schemaSql = `
  CREATE TABLE IF NOT EXISTS objects (
    oid TEXT PRIMARY KEY, space_id TEXT NOT NULL, soft_type TEXT NOT NULL, version INTEGER NOT NULL, content TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS entries (
    oid TEXT NOT NULL, port TEXT NOT NULL, place INTEGER NOT NULL, entry_id INTEGER NOT NULL, content TEXT NOT NULL,
    PRIMARY KEY (oid, port, place)
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX IF NOT EXISTS entries_by_id ON entries (oid, port, entry_id);
  CREATE TABLE IF NOT EXISTS arrays (
    oid TEXT NOT NULL, port TEXT NOT NULL, count INTEGER NOT NULL, next_id INTEGER NOT NULL, gaps TEXT NOT NULL,
    PRIMARY KEY (oid, port)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS documents (kind TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
${queueSchemaSql}`;
