import { entriesPerPage } from '../../../contract/limits.ts';
import type { JourneyEnv } from '../journey.ts';
import type { HttpStep, Result } from '../step.ts';
import { between, isObject, mark, objectIn, path, pick } from './words.ts';

/** Entries of an array that one journey alone edits: their texts, and the ids that the service gave them. */
export interface Listed {
  readonly texts: readonly string[];
  readonly ids: readonly string[];
}

/** Entries that the first edit adds: with them, and with one less, the array needs a second page. */
const firstEntries = 12;

/** The first edit fills the array, the second takes an entry of the first page away, later ones rewrite one and add one. */
export function entryOperations(env: JourneyEnv, number: number, { texts, ids }: Listed): { readonly operations: readonly object[]; readonly texts: readonly string[] } {
  if (env.ground.softType.arrayPort === undefined) return { operations: [], texts };
  if (number === 1) return adding(env, number, firstEntries, texts);
  const at = between(env, 0, entriesPerPage - 1);
  const id = ids[at];
  if (id === undefined) return adding(env, number, 1, texts);
  if (number === 2) return { operations: [{ op: 'remove', path: `/${member(env)}/${id}/` }], texts: texts.filter((_, index) => index !== at) };
  const text = `${mark(env, number)}.new`;
  const added = adding(env, number, 1, texts.map((old, index) => (index === at ? text : old)));
  return { operations: [{ op: 'replace', path: `/${member(env)}/${id}/${env.ground.softType.arrayPort.text}`, value: text }, ...added.operations], texts: added.texts };
}

/** The pages behind the one that a read holds. */
export function pagesOf(env: JourneyEnv, oid: string, texts: readonly string[]): readonly HttpStep[] {
  const { arrayPort } = env.ground.softType;
  if (arrayPort === undefined) return [];
  return Array.from({ length: Math.max(0, Math.ceil(texts.length / entriesPerPage) - 1) }, (_, index) => ({
    kind: 'http', op: 'page', method: 'GET',
    path: path(env, 'page', { arrayPortId: arrayPort.portId, objectId: oid, pageNumber: index + 1 }),
    about: { kind: 'page', oid, page: index + 1, texts },
  }));
}

/** Ids of the entries that a read or a page shows. */
export function idsIn(env: JourneyEnv, result: Result): readonly string[] {
  const { data } = objectIn(result);
  const entries: unknown = isObject(data) ? data[member(env)] : data;
  return Array.isArray(entries) ? entries.filter(isObject).map((entry) => String(entry['$entryId'])) : [];
}

function adding(env: JourneyEnv, number: number, count: number, texts: readonly string[]): ReturnType<typeof entryOperations> {
  const added = Array.from({ length: count }, (_, index) => `${mark(env, number)}.${index}`);
  const { text = '' } = env.ground.softType.arrayPort ?? {};
  return {
    operations: added.map((value) => ({ op: 'add', path: `/${member(env)}/-`, value: { ...pick(env, env.ground.entries), [text]: value } })),
    texts: [...texts, ...added],
  };
}

function member({ ground }: JourneyEnv): string {
  return ground.softType.arrayPort?.member ?? '';
}
