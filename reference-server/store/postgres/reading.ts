import { placeOf } from '../gaps.ts';
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
import type { EntryCondition, OrdinalRange, Reading, StoredEntry } from '../store.ts';
import { queueReadingOf } from './queue-reading.ts';
import type { Session } from './session.ts';
import { statement } from './statement.ts';
import { indexKey } from './text.ts';

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

/** Reads of one transaction. */
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
    ...queueReadingOf(session),
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
