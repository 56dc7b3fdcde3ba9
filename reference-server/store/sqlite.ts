import { DatabaseSync } from 'node:sqlite';
import { Gate } from './sqlite/gate.ts';
import { Groups } from './sqlite/groups.ts';
import { readingOf } from './sqlite/reading.ts';
import { schemaSql } from './sqlite/schema.ts';
import { writingOf } from './sqlite/writing.ts';
import { assertOutside, visiting } from './nesting.ts';
import type { Store } from './store.ts';

/** How long another process may hold the file before a change set gives up. */
const busyTimeoutMs = 5000;

/** Entries that a removal moves up at once: 2 ms. */
const longestMoveEntries = 512;

/**
 * Opens the embedded store in a file, which is made when it is not there, or in memory when no file is named.
 *
 * Durability: a file is written through a write-ahead log with `synchronous = FULL`, so a change set whose promise has resolved
 * survives the end of the process and a power cut, as far as the disk keeps what it acknowledged. Memory survives nothing.
 */
export function openSqliteStore(file?: string): Store {
  const database = new DatabaseSync(file ?? ':memory:', { timeout: busyTimeoutMs });
  if (file !== undefined) database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  database.exec(schemaSql);
  return { ...storeOver(database), isShared: file !== undefined };
}

/** The store over a database that has the tables already; closing the store closes the database. @param longestMove see gaps.ts */
export function storeOver(database: DatabaseSync, longestMove = longestMoveEntries): Store {
  const gate = new Gate();
  const reading = readingOf(database);
  const groups = new Groups(database, writingOf(database, reading, longestMove), gate);
  let closed = false;
  const assertAdmits = (kind: 'read' | 'change'): void => {
    if (closed) throw new Error('The store is closed.');
    assertOutside(gate, kind);
  };
  return {
    async read(work) {
      assertAdmits('read');
      return gate.shared(() => visiting(gate, 'read', () => work(reading)));
    },
    async change(work) {
      assertAdmits('change');
      return groups.change((writing) => visiting(gate, 'change', () => work(writing)));
    },
    async close() {
      if (closed) return;
      closed = true;
      await groups.idle();
      await gate.alone(async () => database.close());
    },
  };
}
