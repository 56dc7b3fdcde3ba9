import { queueReadingOf, queueWritingOf, type QueueSession, type QueueStatement, queueSql } from './queue.ts';
import { type Session, indexKey, statement } from './postgres-session.ts';
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
import {
  type EntryCondition,
  type OrdinalRange,
  type Reading,
  type StoredEntry,
  type Writing,
  admits,
  assertRange,
  spelledInContent,
} from './store.ts';

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

/** Entries that are fetched at once where a condition is looked for. */
const fetchedTogether = 1000;

const object = statement('SELECT soft_type, version, content FROM objects WHERE oid = $1 AND space_id = $2');

const holding = statement(
  'SELECT oid, version, content FROM objects WHERE space_id = $1 AND soft_type = $2 AND strpos(content, $3) > 0 LIMIT $4',
);

const array = statement('SELECT count, next_id, gaps FROM arrays WHERE oid = $1 AND port = $2');

const range = statement(
  'SELECT entry_id, content FROM entries WHERE oid = $1 AND port = $2 AND place >= $3 ORDER BY place LIMIT $4',
);

const candidates = statement(
  `SELECT entry_id, content, place FROM entries WHERE oid = $1 AND port = $2 AND place > $3
    AND (strpos(content, $4) > 0 OR strpos(content, $5) > 0 OR strpos(content, $6) > 0 OR strpos(content, $7) > 0) ORDER BY place LIMIT $8`,
);

const entry = statement('SELECT entry_id, content FROM entries WHERE oid = $1 AND port = $2 AND entry_id = $3');

const document = statement('SELECT text FROM documents WHERE kind = $1 AND key = $2');

const documents = statement('SELECT id, text FROM documents WHERE kind = $1 ORDER BY id');

type CandidateRow = readonly [entryId: number, content: string, place: number];

const insertObject = statement(
  'INSERT INTO objects (oid, space_id, soft_type, version, content) VALUES ($1, $2, $3, $4, $5)',
);

const updateObject = statement('UPDATE objects SET version = $3, content = $4 WHERE oid = $1 AND space_id = $2');

const removeObject = statement('DELETE FROM objects WHERE oid = $1 AND space_id = $2');

const removeEntries = statement('DELETE FROM entries WHERE oid = $1');

const removeArrays = statement('DELETE FROM arrays WHERE oid = $1');

const insertEntries = statement(
  `INSERT INTO entries (oid, port, place, entry_id, content)
    SELECT $1, $2, $3::bigint + item.position - 1, item.entry_id, item.content
    FROM unnest($4::bigint[], $5::text[]) WITH ORDINALITY AS item (entry_id, content, position)`,
);

const updateEntry = statement('UPDATE entries SET content = $4 WHERE oid = $1 AND port = $2 AND entry_id = $3');

const removeEntry = statement('DELETE FROM entries WHERE oid = $1 AND port = $2 AND entry_id = $3 RETURNING place');

const ids = statement('SELECT entry_id FROM entries WHERE oid = $1 AND port = $2');

const clear = statement('DELETE FROM entries WHERE oid = $1 AND port = $2');

const move = statement(
  'UPDATE entries SET place = place - $3 WHERE oid = $1 AND port = $2 AND place >= $4 AND place < $5',
);

const arrayOfObject = statement('SELECT count, next_id, gaps FROM arrays WHERE oid = $1 AND port = $2');

const putArray = statement(
  `INSERT INTO arrays (oid, port, count, next_id, gaps) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (oid, port) DO UPDATE SET count = excluded.count, next_id = excluded.next_id, gaps = excluded.gaps`,
);

const putDocument = statement(
  'INSERT INTO documents (kind, key, id, text) VALUES ($1, $2, $3, $4) ON CONFLICT (kind, key) DO UPDATE SET text = excluded.text',
);

const removeDocument = statement('DELETE FROM documents WHERE kind = $1 AND key = $2');

/** Every table of the schema but that of its version. */
const emptyTables = ['objects', 'entries', 'arrays', 'documents', 'deliveries', 'rate_windows', 'delivery_log'].map(
  (table) => statement(`DELETE FROM ${table}`),
);

type EntryWrites = Pick<Writing, 'appendEntries' | 'updateEntry' | 'removeEntry' | 'replaceEntries'>;

export function readingOf(session: Session): Reading {
  return {
    async object(spaceId, oid) {
      const row = await session.one<ObjectRow>(object, oid, spaceId);
      return row && objectFrom(spaceId, oid, row);
    },
    async countEntries(oid, port, condition) {
      if (condition) return (await admitted(session, oid, port, condition)).length;
      return (await session.one<ArrayRow>(array, oid, port))?.[0] ?? 0;
    },
    async entries(oid, port, ordinals, condition) {
      assertRange(ordinals);
      if (condition)
        return (await admitted(session, oid, port, condition, ordinals.to)).slice(ordinals.from, ordinals.to);
      return entriesIn(session, oid, port, ordinals);
    },
    async entry(oid, port, entryId) {
      if (!Number.isSafeInteger(entryId)) return undefined;
      const row = await session.one<EntryRow>(entry, oid, port, entryId);
      return row && entryFrom(row);
    },
    async objectsHolding(spaceId, softType, text, limit) {
      const rows = await session.all<HoldingRow>(holding, spaceId, softType, spelledInContent(text), limit);
      return rows.map(([oid, version, content]) => objectFrom(spaceId, oid, [softType, version, content]));
    },
    async document(kind, id) {
      return (await session.one<TextRow>(document, kind, indexKey(id)))?.[0];
    },
    async documents(kind) {
      return (await session.all<DocumentRow>(documents, kind)).map(([id, text]) => ({ id, text }));
    },
    ...queueReadingOf(queueIn(session)),
  };
}

async function entriesIn(
  session: Session,
  oid: string,
  port: string,
  { from, to }: OrdinalRange,
): Promise<readonly StoredEntry[]> {
  const row = await session.one<ArrayRow>(array, oid, port);
  if (row === undefined) return [];
  const { count, gaps } = arrayFrom(row);
  const length = Math.min(to, count) - from;
  if (length <= 0) return [];
  return (await session.all<EntryRow>(range, oid, port, placeOf(gaps, from), length)).map(entryFrom);
}

/** The first `most` entries that the condition admits. The server leaves out those in which the value stands nowhere. */
async function admitted(
  session: Session,
  oid: string,
  port: string,
  condition: EntryCondition,
  most = Infinity,
): Promise<readonly StoredEntry[]> {
  const found: StoredEntry[] = [];
  const spellings = spellingsOf(condition);
  for (let after = -1; found.length < most;) {
    const rows = await session.all<CandidateRow>(candidates, oid, port, after, ...spellings, fetchedTogether);
    const entries = rows.map(([entryId, content]) => entryFrom([entryId, content]));
    found.push(...entries.filter((candidate) => admits(condition, candidate)));
    after = rows.at(-1)?.[2] ?? after;
    if (rows.length < fetchedTogether) break;
  }
  return found;
}

/** How the member may stand in the content when its text is the value: as a text, a number or the like, an array, or an object. */
function spellingsOf({ member, value }: EntryCondition): readonly [string, string, string, string] {
  const name = `${JSON.stringify(member)}:`;
  return [`${name}${JSON.stringify(value)}`, `${name}${value}`, `${name}[`, `${name}{`];
}

/** Reads and writes of one change set. @param longestMove see ../gaps.ts */
export function writingOf(session: Session, longestMove: number): Writing {
  return {
    ...readingOf(session),
    ...objectWrites(session),
    ...entryWrites(session, longestMove),
    ...documentWrites(session),
    ...queueWritingOf(queueIn(session)),
    async empty() {
      for (const emptyTable of emptyTables) await session.run(emptyTable);
    },
  };
}

function objectWrites(session: Session): Pick<Writing, 'insertObject' | 'updateObject' | 'deleteObject'> {
  return {
    async insertObject({ oid, spaceId, softType, version, content }) {
      await session.run(insertObject, oid, spaceId, softType, version, JSON.stringify(content));
    },
    async updateObject(spaceId, oid, version, content) {
      await session.touchOne(updateObject, `object ${oid}`, oid, spaceId, version, JSON.stringify(content));
    },
    async deleteObject(spaceId, oid) {
      await session.touchOne(removeObject, `object ${oid}`, oid, spaceId);
      await Promise.all([session.run(removeEntries, oid), session.run(removeArrays, oid)]);
    },
  };
}

function entryWrites(session: Session, longestMove: number): EntryWrites {
  return {
    async appendEntries(oid, port, contents) {
      const items = contents.map((content) => ({ content }));
      return append(session, oid, port, await stateOf(session, oid, port), items);
    },
    async updateEntry(oid, port, entryId, content) {
      await session.touchOne(updateEntry, `entry ${entryId} of ${port}`, oid, port, entryId, JSON.stringify(content));
    },
    async removeEntry(oid, port, entryId) {
      const row = await session.one<PlaceRow>(removeEntry, oid, port, entryId);
      if (!row) throw new Error(`The store was told to remove entry ${entryId} of ${port}, which it does not hold.`);
      await leave(session, oid, port, row[0], longestMove);
    },
    async replaceEntries(oid, port, items) {
      const known = new Set((await session.all<IdRow>(ids, oid, port)).map(([entryId]) => entryId));
      await session.run(clear, oid, port);
      const emptied = { ...(await stateOf(session, oid, port)), count: 0, gaps: [] };
      const kept = items.map((item) => keepingKnownId(item, known));
      await append(session, oid, port, emptied, kept);
    },
  };
}

async function stateOf(session: Session, oid: string, port: string): Promise<ArrayState> {
  const row = await session.one<ArrayRow>(arrayOfObject, oid, port);
  return row === undefined ? unusedArray : arrayFrom(row);
}

async function keep(session: Session, oid: string, port: string, { count, nextId, gaps }: ArrayState): Promise<void> {
  await session.run(putArray, oid, port, count, nextId, JSON.stringify(gaps));
}

async function append(
  session: Session,
  oid: string,
  port: string,
  state: ArrayState,
  items: readonly Item[],
): Promise<readonly number[]> {
  const { count, nextId, gaps } = state;
  const entryIds = numberItems(items, nextId);
  const contents = items.map(({ content }) => JSON.stringify(content));
  const fresh = items.filter((item) => item.entryId === undefined).length;
  await Promise.all([
    session.run(insertEntries, oid, port, count + widthOf(gaps), entryIds, contents),
    keep(session, oid, port, { count: count + items.length, nextId: nextId + fresh, gaps }),
  ]);
  return entryIds;
}

/** The entry at the place has gone. */
async function leave(session: Session, oid: string, port: string, place: number, longestMove: number): Promise<void> {
  const before = await stateOf(session, oid, port);
  const count = before.count - 1;
  const { gaps, moves } = closed(withGap(before.gaps, place), count, longestMove);
  for (const { by, from, to } of moves) await session.run(move, oid, port, by, from, to);
  await keep(session, oid, port, { count, nextId: before.nextId, gaps });
}

function documentWrites(session: Session): Pick<Writing, 'putDocument' | 'deleteDocument'> {
  return {
    async putDocument(kind, id, text) {
      await session.run(putDocument, kind, indexKey(id), id, text);
    },
    async deleteDocument(kind, id) {
      await session.run(removeDocument, kind, indexKey(id));
    },
  };
}

function queueIn(session: Session): QueueSession {
  return {
    all: (name, ...values) => session.all(statements[name], ...values),
    run: (name, ...values) => session.run(statements[name], ...values),
    keyOf: indexKey,
    noteQueued: () => {
      session.hasQueued = true;
    },
  };
}
