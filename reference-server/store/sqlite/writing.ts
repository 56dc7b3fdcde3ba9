import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Content, Reading, Writing } from '../store.ts';
import { all, one, touchOne, type ArrayRow, type EntryRow } from './rows.ts';

/** Prepares the writes once. They only ever run inside a change set; what they touch is the rows named and nothing else. */
export function writingOf(database: DatabaseSync, reading: Reading): Writing {
  return { ...reading, ...objectWrites(database), ...entryWrites(database), ...documentWrites(database) };
}

function objectWrites(database: DatabaseSync): Pick<Writing, 'insertObject' | 'updateObject' | 'deleteObject'> {
  const insert = database.prepare(
    'INSERT INTO objects (oid, space_id, soft_type, version, content) VALUES (?, ?, ?, ?, ?)',
  );
  const update = database.prepare('UPDATE objects SET version = ?, content = ? WHERE oid = ? AND space_id = ?');
  const remove = database.prepare('DELETE FROM objects WHERE oid = ? AND space_id = ?');
  const removeEntries = database.prepare('DELETE FROM entries WHERE oid = ?');
  const removeArrays = database.prepare('DELETE FROM arrays WHERE oid = ?');
  return {
    async insertObject({ oid, spaceId, softType, version, content }) {
      insert.run(oid, spaceId, softType, version, JSON.stringify(content));
    },
    async updateObject(spaceId, oid, version, content) {
      touchOne(update, `object ${oid}`, version, JSON.stringify(content), oid, spaceId);
    },
    async deleteObject(spaceId, oid) {
      touchOne(remove, `object ${oid}`, oid, spaceId);
      removeEntries.run(oid);
      removeArrays.run(oid);
    },
  };
}

type EntryWrites = Pick<Writing, 'appendEntries' | 'updateEntry' | 'removeEntry' | 'replaceEntries'>;

function entryWrites(database: DatabaseSync): EntryWrites {
  const update = database.prepare('UPDATE entries SET content = ? WHERE oid = ? AND port = ? AND entry_id = ?');
  const find = database.prepare(
    'SELECT ordinal, entry_id, content FROM entries WHERE oid = ? AND port = ? AND entry_id = ?',
  );
  const remove = database.prepare('DELETE FROM entries WHERE oid = ? AND port = ? AND ordinal = ?');
  const moveUp = database.prepare(
    'UPDATE entries SET ordinal = ordinal - 1 WHERE oid = ? AND port = ? AND ordinal > ?',
  );
  const ids = database.prepare('SELECT ordinal, entry_id, content FROM entries WHERE oid = ? AND port = ?');
  const clear = database.prepare('DELETE FROM entries WHERE oid = ? AND port = ?');
  const array = arrayRows(database);
  return {
    async appendEntries(oid, port, contents) {
      return array.append(
        oid,
        port,
        contents.map((content) => ({ content })),
      );
    },
    async updateEntry(oid, port, entryId, content) {
      touchOne(update, `entry ${entryId} of ${port}`, JSON.stringify(content), oid, port, entryId);
    },
    async removeEntry(oid, port, entryId) {
      const row = one<EntryRow>(find, oid, port, entryId);
      if (!row) throw new Error(`The store was told to remove entry ${entryId} of ${port}, which it does not hold.`);
      remove.run(oid, port, row.ordinal);
      moveUp.run(oid, port, row.ordinal);
      array.shrink(oid, port, 1);
    },
    async replaceEntries(oid, port, items) {
      const known = new Set(all<EntryRow>(ids, oid, port).map((row) => row.entry_id));
      clear.run(oid, port);
      array.shrink(oid, port, known.size);
      array.append(
        oid,
        port,
        items.map((item) => keepingKnownId(item, known)),
      );
    },
  };
}

interface Item {
  readonly entryId?: number;
  readonly content: Content;
}

/** An id that is not known, or that an earlier item took, is dropped, so that the item gets a new one. */
function keepingKnownId(item: Item, known: Set<number>): Item {
  const keeps = item.entryId !== undefined && known.delete(item.entryId);
  return keeps ? item : { content: item.content };
}

interface ArrayRows {
  append(oid: string, port: string, items: readonly Item[]): readonly number[];
  shrink(oid: string, port: string, by: number): void;
}

function arrayRows(database: DatabaseSync): ArrayRows {
  const state = database.prepare('SELECT count, next_id FROM arrays WHERE oid = ? AND port = ?');
  const insert = database.prepare('INSERT INTO entries (oid, port, ordinal, entry_id, content) VALUES (?, ?, ?, ?, ?)');
  const shrink = database.prepare('UPDATE arrays SET count = count - ? WHERE oid = ? AND port = ?');
  const keep = database.prepare(
    'INSERT INTO arrays (oid, port, count, next_id) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = excluded.count, next_id = excluded.next_id',
  );
  return {
    append(oid, port, items) {
      const before = one<ArrayRow>(state, oid, port) ?? { count: 0, next_id: 1 };
      const ids = numbered(items, before.next_id);
      items.forEach(({ content }, index) => insertAt(insert, oid, port, before.count + index, ids[index], content));
      const fresh = items.filter((item) => item.entryId === undefined).length;
      keep.run(oid, port, before.count + items.length, before.next_id + fresh);
      return ids;
    },
    shrink(oid, port, by) {
      shrink.run(by, oid, port);
    },
  };
}

function numbered(items: readonly Item[], nextId: number): readonly number[] {
  let next = nextId;
  return items.map((item) => item.entryId ?? next++);
}

function insertAt(
  insert: StatementSync,
  oid: string,
  port: string,
  ordinal: number,
  entryId: number | undefined,
  content: Content,
): void {
  if (entryId === undefined) throw new Error('An entry without an id reached the table of entries.');
  insert.run(oid, port, ordinal, entryId, JSON.stringify(content));
}

function documentWrites(database: DatabaseSync): Pick<Writing, 'putDocument'> {
  const put = database.prepare(
    'INSERT INTO documents (kind, id, text) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET text = excluded.text',
  );
  return {
    async putDocument(kind, id, text) {
      put.run(kind, id, text);
    },
  };
}
