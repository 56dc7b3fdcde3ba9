import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Content, Reading, Writing } from '../store.ts';
import { closed, widthOf, withGap } from '../gaps.ts';
import { queueWritingOf } from './queue-writing.ts';
import { keepingKnownId, numbered, unusedArray, type Item } from '../items.ts';
import { arrayFrom, type ArrayRow, type ArrayState, type IdRow, type PlaceRow } from '../rows.ts';
import { all, once, one, query, touchOne } from './rows.ts';

/**
 * Prepares the writes once. They only ever run inside a change set; what they touch is the rows named, and after a removal the few
 * entries behind it, at most `longestMove` or an even share of the array.
 */
export function writingOf(database: DatabaseSync, reading: Reading, longestMove: number): Writing {
  return {
    ...reading,
    ...objectWrites(database),
    ...entryWrites(database, longestMove),
    ...documentWrites(database),
    ...queueWritingOf(database),
  };
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

function entryWrites(database: DatabaseSync, longestMove: number): EntryWrites {
  const update = database.prepare('UPDATE entries SET content = ? WHERE oid = ? AND port = ? AND entry_id = ?');
  const find = query(database, 'SELECT place FROM entries WHERE oid = ? AND port = ? AND entry_id = ?');
  const remove = database.prepare('DELETE FROM entries WHERE oid = ? AND port = ? AND place = ?');
  const ids = query(database, 'SELECT entry_id FROM entries WHERE oid = ? AND port = ?');
  const clear = database.prepare('DELETE FROM entries WHERE oid = ? AND port = ?');
  const array = arrayRows(database, longestMove);
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
      const row = one<PlaceRow>(find, oid, port, entryId);
      if (!row) throw new Error(`The store was told to remove entry ${entryId} of ${port}, which it does not hold.`);
      remove.run(oid, port, row[0]);
      array.leave(oid, port, row[0]);
    },
    async replaceEntries(oid, port, items) {
      const known = new Set(all<IdRow>(ids, oid, port).map(([entryId]) => entryId));
      clear.run(oid, port);
      array.empty(oid, port);
      array.append(
        oid,
        port,
        items.map((item) => keepingKnownId(item, known)),
      );
    },
  };
}

interface ArrayRows {
  append(oid: string, port: string, items: readonly Item[]): readonly number[];
  /** The entry at the place has gone. */
  leave(oid: string, port: string, place: number): void;
  /** All entries have gone; their ids stay given. */
  empty(oid: string, port: string): void;
}

function arrayRows(database: DatabaseSync, longestMove: number): ArrayRows {
  const state = query(database, 'SELECT count, next_id, gaps FROM arrays WHERE oid = ? AND port = ?');
  const insert = database.prepare('INSERT INTO entries (oid, port, place, entry_id, content) VALUES (?, ?, ?, ?, ?)');
  const move = database.prepare(
    'UPDATE entries SET place = place - ? WHERE oid = ? AND port = ? AND place >= ? AND place < ?',
  );
  const put = database.prepare(
    'INSERT OR REPLACE INTO arrays (oid, port, count, next_id, gaps) VALUES (?, ?, ?, ?, ?)',
  );
  const stateOf = (oid: string, port: string): ArrayState => {
    const row = one<ArrayRow>(state, oid, port);
    return row === undefined ? unusedArray : arrayFrom(row);
  };
  const keep = (oid: string, port: string, { count, nextId, gaps }: ArrayState): void => {
    put.run(oid, port, count, nextId, JSON.stringify(gaps));
  };
  return {
    append(oid, port, items) {
      const { count, nextId, gaps } = stateOf(oid, port);
      const ids = numbered(items, nextId);
      const end = count + widthOf(gaps);
      items.forEach(({ content }, index) => insertAt(insert, oid, port, end + index, ids[index], content));
      const fresh = items.filter((item) => item.entryId === undefined).length;
      keep(oid, port, { count: count + items.length, nextId: nextId + fresh, gaps });
      return ids;
    },
    leave(oid, port, place) {
      const before = stateOf(oid, port);
      const count = before.count - 1;
      const moved = closed(withGap(before.gaps, place), count, longestMove);
      for (const { by, from, to } of moved.moves) move.run(by, oid, port, from, to);
      keep(oid, port, { count, nextId: before.nextId, gaps: moved.gaps });
    },
    empty(oid, port) {
      keep(oid, port, { ...stateOf(oid, port), count: 0, gaps: [] });
    },
  };
}

function insertAt(
  insert: StatementSync,
  oid: string,
  port: string,
  place: number,
  entryId: number | undefined,
  content: Content,
): void {
  if (entryId === undefined) throw new Error('An entry without an id reached the table of entries.');
  insert.run(oid, port, place, entryId, JSON.stringify(content));
}

function documentWrites(database: DatabaseSync): Pick<Writing, 'putDocument' | 'deleteDocument'> {
  const put = database.prepare(
    'INSERT INTO documents (kind, id, text) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET text = excluded.text',
  );
  const remove = once(() => database.prepare('DELETE FROM documents WHERE kind = ? AND id = ?'));
  return {
    async putDocument(kind, id, text) {
      put.run(kind, id, text);
    },
    async deleteDocument(kind, id) {
      remove().run(kind, id);
    },
  };
}
