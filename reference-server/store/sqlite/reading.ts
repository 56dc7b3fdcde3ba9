import type { DatabaseSync } from 'node:sqlite';
import type { EntryCondition, Reading, StoredEntry } from '../store.ts';
import { placeOf } from '../gaps.ts';
import { queueReadingOf } from './queue-reading.ts';
import {
  arrayFrom,
  entryFrom,
  objectFrom,
  type ArrayRow,
  type DocumentRow,
  type EntryRow,
  type HoldingRow,
  type ObjectRow,
  type TextRow,
} from '../rows.ts';
import { admits, assertRange, spelledInContent } from '../selection.ts';
import { all, each, once, one, query } from './rows.ts';

/** Prepares the reads once; each is a lookup by key, except those with a condition, which walk the whole port. */
export function readingOf(database: DatabaseSync): Reading {
  const object = query(database, 'SELECT soft_type, version, content FROM objects WHERE oid = ? AND space_id = ?');
  const array = query(database, 'SELECT count, next_id, gaps FROM arrays WHERE oid = ? AND port = ?');
  const range = query(
    database,
    'SELECT entry_id, content FROM entries WHERE oid = ? AND port = ? AND place >= ? ORDER BY place LIMIT ? + 0',
  );
  const port = query(database, 'SELECT entry_id, content FROM entries WHERE oid = ? AND port = ? ORDER BY place');
  const entry = query(database, 'SELECT entry_id, content FROM entries WHERE oid = ? AND port = ? AND entry_id = ?');
  const document = query(database, 'SELECT text FROM documents WHERE kind = ? AND id = ?');

  const documents = once(() => query(database, 'SELECT id, text FROM documents WHERE kind = ? ORDER BY id'));

  function* admitted(oid: string, portId: string, condition: EntryCondition): Generator<StoredEntry> {
    for (const row of each<EntryRow>(port, oid, portId)) {
      const candidate = entryFrom(row);
      if (admits(condition, candidate)) yield candidate;
    }
  }

  return {
    async object(spaceId, oid) {
      const row = one<ObjectRow>(object, oid, spaceId);
      return row && objectFrom(spaceId, oid, row);
    },
    async countEntries(oid, portId, condition) {
      if (condition) return admitted(oid, portId, condition).reduce((sum) => sum + 1, 0);
      return one<ArrayRow>(array, oid, portId)?.[0] ?? 0;
    },
    async entries(oid, portId, ordinals, condition) {
      assertRange(ordinals);
      if (condition)
        return [
          ...admitted(oid, portId, condition)
            .drop(ordinals.from)
            .take(ordinals.to - ordinals.from),
        ];
      const row = one<ArrayRow>(array, oid, portId);
      if (row === undefined) return [];
      const { count, gaps } = arrayFrom(row);
      const length = Math.min(ordinals.to, count) - ordinals.from;
      if (length <= 0) return [];
      return all<EntryRow>(range, oid, portId, placeOf(gaps, ordinals.from), length).map(entryFrom);
    },
    async entry(oid, portId, entryId) {
      const row = one<EntryRow>(entry, oid, portId, entryId);
      return row && entryFrom(row);
    },
    objectsHolding: holdingOf(database),
    async document(kind, id) {
      return one<TextRow>(document, kind, id)?.[0];
    },
    async documents(kind) {
      return all<DocumentRow>(documents(), kind).map(([id, text]) => ({ id, text }));
    },
    ...queueReadingOf(database),
  };
}

function holdingOf(database: DatabaseSync): Reading['objectsHolding'] {
  const holding = query(
    database,
    'SELECT oid, version, content FROM objects WHERE space_id = ? AND soft_type = ? AND instr(content, ?) > 0 LIMIT ?',
  );
  return async (spaceId, softType, text, limit) => {
    const rows = all<HoldingRow>(holding, spaceId, softType, spelledInContent(text), limit);
    return rows.map(([oid, version, content]) => objectFrom(spaceId, oid, [softType, version, content]));
  };
}
