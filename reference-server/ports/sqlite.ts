import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type ChangeSet, Groups } from './groups.ts';
import {
  type ArrayRow,
  type ArrayState,
  type DocumentRow,
  type EntryRow,
  type HoldingRow,
  type IdRow,
  type Item,
  type ObjectRow,
  type PlaceRow,
  type TextRow,
  arrayFrom,
  closed,
  entryFrom,
  keepingKnownId,
  numberItems,
  objectFrom,
  placeOf,
  unusedArray,
  widthOf,
  withGap,
} from './rows.ts';
import { queueReadingOf, queueWritingOf } from './queue.ts';
import { all, each, once, one, query, queueIn, queueSchemaSql, touchOne } from './sqlite-queue.ts';
import {
  type Content,
  type EntryCondition,
  type Reading,
  type Store,
  StoreFullError,
  type StoredEntry,
  type Writing,
  admits,
  assertOutside,
  assertRange,
  spelledInContent,
  visiting,
} from './store.ts';

/** How long another process may hold the file before a change set gives up. */
const busyTimeoutMs = 5000;

/** Entries that a removal moves up at once: 2 ms. */
const longestMoveEntries = 512;

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

const emptySql = [...schemaSql.matchAll(/CREATE TABLE IF NOT EXISTS (\w+)/g)]
  .map(([, table]) => `DELETE FROM ${table};`)
  .join('\n');

/**
 * Lets any number of readers in together, or one writer alone. Readers that come while a writer works or waits stand behind it,
 * so that neither starves the other.
 */
class Gate {
  #readers = 0;
  #writing = false;
  #waiting: (() => void)[] = [];

  async shared<T>(work: () => Promise<T>): Promise<T> {
    while (this.#writing) await this.#turn();
    this.#readers += 1;
    try {
      return await work();
    } finally {
      this.#readers -= 1;
      if (this.#readers === 0) this.#wake();
    }
  }

  /** Only one caller may ask at a time. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#writing) throw new Error('A second writer asked for the store while one was inside.');
    this.#writing = true;
    while (this.#readers > 0) await this.#turn();
    try {
      return await work();
    } finally {
      this.#writing = false;
      this.#wake();
    }
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    const woken = this.#waiting;
    this.#waiting = [];
    for (const resolve of woken) resolve();
  }
}

/** Commits change sets together, each behind a savepoint of its own. */
class Transactions {
  readonly #database: DatabaseSync;
  readonly #writing: Writing;

  constructor(database: DatabaseSync, writing: Writing) {
    this.#database = database;
    this.#writing = writing;
  }

  async commit(group: readonly ChangeSet[]): Promise<void> {
    const applied: ChangeSet[] = [];
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      for (const member of group) if (await this.#apply(member)) applied.push(member);
      this.#database.exec('COMMIT');
    } catch (reason) {
      const told = reasonOf(reason);
      for (const member of group) member.lost(told);
      this.#abandon();
      return;
    }
    for (const member of applied) member.committed();
  }

  /**
   * False when the work rejected: what it did is undone, its neighbours in the group are untouched.
   * @throws {StoreFullError} the transaction is over, and what the neighbours did with it
   */
  async #apply(member: ChangeSet): Promise<boolean> {
    this.#database.exec('SAVEPOINT change_set');
    try {
      await member.apply(this.#writing);
    } catch (reason) {
      assertTransaction(this.#database);
      this.#database.exec('ROLLBACK TO change_set; RELEASE change_set');
      member.lost(reason);
      return false;
    }
    // whoever took the failure for its own may have gone on
    assertTransaction(this.#database);
    this.#database.exec('RELEASE change_set');
    return true;
  }

  #abandon(): void {
    // it may be over already
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }
}

type EntryWrites = Pick<Writing, 'appendEntries' | 'updateEntry' | 'removeEntry' | 'replaceEntries'>;

interface ArrayRows {
  append(oid: string, port: string, items: readonly Item[]): readonly number[];
  leave(oid: string, port: string, place: number): void;
  /** All entries have gone; their ids stay given. */
  empty(oid: string, port: string): void;
}

/**
 * Opens the embedded store in a file, which is made when it is not there, or in memory when no file is named.
 *
 * Durability: a file is written through a write-ahead log with `synchronous = FULL`, so a change set whose promise has resolved
 * survives the end of the process and a power cut, as far as the disk keeps what it acknowledged. Memory survives nothing.
 */
export function openSqliteStore(file?: string): Store {
  const database = new DatabaseSync(file ?? ':memory:', { timeout: busyTimeoutMs });
  if (file !== undefined) {
    assertWhole(database, file);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  }
  database.exec(schemaSql);
  return { ...storeOver(database), isShared: file !== undefined };
}

/** A file that is no whole database: what it still shows may be wrong, and to write to it makes it worse. */
export class DamagedStore extends Error {}

/** @throws {DamagedStore} */
function assertWhole(database: DatabaseSync, file: string): void {
  const found = complaintOf(database);
  if (found === undefined) return;
  database.close();
  throw new DamagedStore(
    `The store ${file} is damaged (${found}); put a copy of it in its place, or name a file that is not there yet.`,
  );
}

function complaintOf(database: DatabaseSync): string | undefined {
  try {
    const [row] = database.prepare('PRAGMA quick_check(1)').all();
    const found = Object.values(row ?? {})[0];
    return found === 'ok' ? undefined : String(found).replaceAll(/\s+/g, ' ');
  } catch (error) {
    return damageCodes.includes(Number(Reflect.get(Object(error), 'errcode')) & 0xff) ? String(error) : undefined;
  }
}

/**
 * The same inside a transaction. SQLite ends one by itself on a full disk: a statement after that would be a transaction of its own, and stay.
 */
function insideTransaction(database: DatabaseSync, writing: Writing): Writing {
  const guarded = new Map<string | symbol, unknown>();
  return new Proxy(writing, {
    get: (target, name) => {
      const known = guarded.get(name);
      if (known !== undefined) return known;
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      const inside = async (...values: readonly unknown[]): Promise<unknown> => {
        assertTransaction(database);
        try {
          return await Reflect.apply(method, target, values);
        } catch (reason) {
          throw reasonOf(reason);
        }
      };
      guarded.set(name, inside);
      return inside;
    },
  });
}

/** @throws {StoreFullError} */
function assertTransaction(database: DatabaseSync): void {
  if (!database.isTransaction) throw new StoreFullError('The disk of the store took nothing more, and undid all.');
}

/** What a change set is told that could not be kept. */
function reasonOf(reason: unknown): unknown {
  const errcode = Number(Reflect.get(Object(reason), 'errcode'));
  if ((errcode & 0xff) !== full && !quotaCodes.includes(errcode)) return reason;
  return new StoreFullError('The disk of the store takes nothing more.', { cause: reason });
}

/** Of SQLite. */
const full = 13;
/** Of SQLite, where a quota is used up or its index in memory cannot grow: a write, and the size of that index, that failed. */
const quotaCodes = [778, 4874];

/** Of SQLite: a malformed image, and no database at all. */
const damageCodes = [11, 26];

/** The store over a database that has the tables already; closing the store closes the database. @param longestMove see gaps.ts */
export function storeOver(database: DatabaseSync, longestMove = longestMoveEntries): Store {
  const gate = new Gate();
  const reading = readingOf(database);
  const writing = insideTransaction(database, writingOf(database, reading, longestMove));
  const transactions = new Transactions(database, writing);
  const groups = new Groups((group) => gate.alone(() => transactions.commit(group)));
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

/** Prepares the reads once; each is a lookup by key, except those with a condition, which walk the whole port. */
function readingOf(database: DatabaseSync): Reading {
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
    ...queueReadingOf(queueIn(database)),
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

/**
 * Prepares the writes once. They only ever run inside a change set; what they touch is the rows named, and after a removal the few
 * entries behind it, at most `longestMove` or an even share of the array.
 */
function writingOf(database: DatabaseSync, reading: Reading, longestMove: number): Writing {
  return {
    ...reading,
    ...objectWrites(database),
    ...entryWrites(database, longestMove),
    ...documentWrites(database),
    ...queueWritingOf(queueIn(database)),
    async empty() {
      database.exec(emptySql);
    },
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
      const ids = numberItems(items, nextId);
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
