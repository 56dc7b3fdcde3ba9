import { entriesPerPage } from '../../../contract/limits.ts';
import type { JourneyEnv } from '../journey.ts';
import type { EntryContent, HttpStep, Result } from '../step.ts';
import { between, isObject, mark, objectIn, path, pick } from './words.ts';

/** Entries of an array that one journey alone edits: what they hold, and the ids that the service gave them. */
export interface Listed {
  readonly entries: readonly EntryContent[];
  readonly ids: readonly string[];
}

interface Edit {
  readonly operations: readonly object[];
  /** What the array holds after it. */
  readonly entries: readonly EntryContent[];
}

/** Entries that the first edit adds: with them, and with one less, the array needs a second page. */
const firstEntries = 12;

/** The first edit fills the array, the second takes an entry of the first page away, later ones rewrite one and add one. */
export function entryOperations(env: JourneyEnv, number: number, { entries, ids }: Listed): Edit {
  const { arrayPort } = env.ground.softType;
  if (arrayPort === undefined) return { operations: [], entries };
  if (number === 1) return adding(env, number, firstEntries, entries);
  const at = between(env, 0, entriesPerPage - 1);
  // an answer that did not come leaves ids unknown
  const id = ids.length === entries.length ? ids[at] : undefined;
  if (id === undefined) return adding(env, number, 1, entries);
  if (number === 2)
    return {
      operations: [{ op: 'remove', path: `/${arrayPort.member}/${id}/` }],
      entries: entries.filter((_, index) => index !== at),
    };
  const text = `${mark(env, number)}.new`;
  const added = adding(
    env,
    number,
    1,
    entries.map((old, index) => (index === at ? { ...old, [arrayPort.text]: text } : old)),
  );
  return {
    operations: [
      { op: 'replace', path: `/${arrayPort.member}/${id}/${arrayPort.text}`, value: text },
      ...added.operations,
    ],
    entries: added.entries,
  };
}

/** The pages behind the one that a read holds. */
export function pagesOf(env: JourneyEnv, oid: string, entries: readonly EntryContent[]): readonly HttpStep[] {
  const { arrayPort } = env.ground.softType;
  if (arrayPort === undefined) return [];
  return Array.from({ length: Math.max(0, Math.ceil(entries.length / entriesPerPage) - 1) }, (_, index) => ({
    kind: 'http',
    op: 'page',
    method: 'GET',
    path: path(env, 'page', { arrayPortId: arrayPort.portId, objectId: oid, pageNumber: index + 1 }),
    about: { kind: 'page', oid, page: index + 1, entries },
  }));
}

/** Ids of the entries that a read or a page shows. */
export function idsIn(env: JourneyEnv, result: Result): readonly string[] {
  const { data } = objectIn(result);
  const entries: unknown = isObject(data) ? data[member(env)] : data;
  return Array.isArray(entries) ? entries.filter(isObject).map((entry) => String(entry['$entryId'])) : [];
}

function adding(env: JourneyEnv, number: number, count: number, before: readonly EntryContent[]): Edit {
  const { text = '' } = env.ground.softType.arrayPort ?? {};
  const added = Array.from({ length: count }, (_, index) => ({
    ...pick(env, env.ground.entries),
    [text]: `${mark(env, number)}.${index}`,
  }));
  return {
    operations: added.map((value) => ({ op: 'add', path: `/${member(env)}/-`, value })),
    entries: [...before, ...added],
  };
}

function member({ ground }: JourneyEnv): string {
  return ground.softType.arrayPort?.member ?? '';
}
