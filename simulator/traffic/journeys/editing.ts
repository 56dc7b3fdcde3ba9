import { entriesPerPage } from '../../../contract/limits.ts';
import { headerNames, mediaTypes, pointerThrough } from '../../../contract/names.ts';
import type { Journey, JourneyEnv } from '../journey.ts';
import { anySuccess, isObject, lastSegment, objectIn, oidIn, versionIn } from '../results.ts';
import type { EntryContent, HttpStep, Result, Step } from '../step.ts';
import {
  batchStep,
  bodyWith,
  createStep,
  editStep,
  isOffered,
  mark,
  operationOf,
  pathOf,
  pick,
  pickBetween,
  readStep,
  refusedStep,
  uniqueWith,
  versionHeader,
} from './steps.ts';

/** Pages that one visit turns at most. */
const mostPages = 30;

/** Looks at the instance, then at every page of its array, then at what a filter leaves of it. */
export const reader: Journey = function* (env) {
  const { ground } = env;
  const object = pick(env, ground.objects);
  if (object === undefined) return;
  const read: Result = yield readStep(env, object.oid);
  const { arrayPort } = ground.softType;
  if (arrayPort === undefined) return;
  for (let page = 0; page < Math.min(pagesIn(read, arrayPort.member), mostPages); page += 1) {
    const step: HttpStep = {
      kind: 'http',
      op: 'page',
      method: 'GET',
      path: pathOf(env, 'page', { arrayPortId: arrayPort.portId, objectId: object.oid, pageNumber: page }),
      about: { kind: 'page', oid: object.oid, page },
    };
    yield step;
  }
  if (ground.filter !== undefined) {
    const { path: instance } = readStep(env, object.oid);
    yield {
      kind: 'http',
      op: 'filtered',
      method: 'GET',
      path: `${instance}?softTypeFilterId=${encodeURIComponent(ground.filter.id)}`,
    };
  }
};

/** Pages that the link for the array tells; 0 without one, as everything is in the first read then. */
function pagesIn(read: Result, member: string): number {
  const { links } = objectIn(read);
  if (!Array.isArray(links)) return 0;
  const link = links
    .filter(isObject)
    .find(({ rel, sectionPath }) => rel === 'page' && lastSegment(String(sectionPath)) === member);
  return typeof link?.['pages'] === 'number' ? link['pages'] : 0;
}

const edits = 3;
/** One author in so many tries what is refused. */
const inVainOnceIn = 3;

/** Creates an object, changes its text and its array by operations, then in vain, and looks at both before and after: nobody else edits it. */
export const author: Journey = function* (env) {
  const body = bodyWith(env, mark(env, 0));
  const created: Result = yield createStep(env, body);
  const oid = oidIn(created);
  let version = versionIn(created);
  if (oid === undefined || version === undefined) return;
  let listed: KnownEntries = { entries: [], ids: [] };
  const lookAt = (number: number, entries: KnownEntries['entries']): HttpStep =>
    readAfterEdit(env, { oid, body }, number, entries);
  yield lookAt(0, []);
  for (let number = 1; number <= edits; number += 1) {
    const { operations, entries } = editEntries(env, number, listed);
    const edited: Result = yield operationsStep(env, oid, version, number, operations);
    version = versionIn(edited);
    if (version === undefined) return;
    const read: Result = yield lookAt(number, entries);
    let ids = idsIn(env, read);
    for (const page of pagesOf(env, oid, entries)) ids = [...ids, ...idsIn(env, yield page)];
    listed = { entries, ids };
  }
  if (pickBetween(env, 1, inVainOnceIn) > 1) return;
  yield* editInVain(env, oid, version, edits + 1);
  yield lookAt(edits, listed.entries);
};

function readAfterEdit(
  env: JourneyEnv,
  { oid, body }: { readonly oid: string; readonly body: Readonly<Record<string, unknown>> },
  number: number,
  entries: KnownEntries['entries'],
): HttpStep {
  const { scalars, arrayPort } = env.ground.softType;
  const beside = body[scalars[1] ?? ''];
  return {
    ...readStep(env, oid),
    about: {
      kind: 'read',
      oid,
      holds: mark(env, number),
      ...(typeof beside === 'string' && { beside }),
      ...(arrayPort && { entries }),
    },
  };
}

/** At a version that is over, without one, by who may only read, and in a batch of which another edit is refused: none of it may be done. */
function* editInVain(env: JourneyEnv, oid: string, version: number, number: number): Generator<Step, void, Result> {
  const { ground } = env;
  const edit: HttpStep = { ...operationsStep(env, oid, version, number, []), as: 'editor' };
  const { [headerNames.version]: _, ...unversioned } = { ...edit.headers };
  yield refusedStep(
    { ...edit, headers: { ...unversioned, ...versionHeader(version - 1) } },
    'stale edit',
    'versioning.mismatch.operations-409',
    [409],
  );
  yield refusedStep(
    { ...edit, headers: unversioned },
    'edit without version',
    'versioning.absent.operations-412',
    [412],
  );
  if (ground.reader !== undefined)
    yield refusedStep({ ...edit, as: ground.reader }, 'edit by a reader', 'auth.role.reader-edit-403', [403]);
  if (!isOffered(ground, 'batch')) return;
  const [first = ''] = ground.softType.scalars;
  const operations = [version, version - 1].map((stated) =>
    operationOf(env, editStep(env, oid, stated, ''), { [first]: mark(env, number) }),
  );
  yield refusedStep(
    { ...batchStep(env, operations), as: 'editor' },
    'batch in vain',
    'batch.failure.status-500',
    [500],
  );
}

function operationsStep(
  env: JourneyEnv,
  oid: string,
  version: number,
  number: number,
  more: readonly object[],
): HttpStep {
  const [first = ''] = env.ground.softType.scalars;
  const marker = mark(env, number);
  return {
    kind: 'http',
    op: 'operations',
    method: 'PATCH',
    path: pathOf(env, 'operations', { objectId: oid }),
    headers: { 'Content-Type': mediaTypes.operations, ...versionHeader(version) },
    body: JSON.stringify([{ op: 'replace', path: pointerThrough([first]), value: marker }, ...more]),
    about: { kind: 'edit', oid, version, marker },
  };
}

/** Objects that all pairs edit, so that they meet. */
const hotObjects = 4;
const mostTries = 5;
/** Who edits saves at the next of these moments, in ms: those who read in between meet, however fast the service is. */
const momentMs = 50;

/** Edits what somebody else may be editing: reads, writes at the version read, and after a conflict does so again. */
export const editorPair: Journey = function* (env) {
  const object = pick(env, env.ground.objects.slice(0, hotObjects));
  if (object === undefined) return;
  for (let attempt = 0; attempt < mostTries; attempt += 1) {
    const read: Result = yield readStep(env, object.oid);
    const { version } = objectIn(read);
    if (typeof version !== 'number') return;
    yield { kind: 'think', ms: momentMs - (env.now() % momentMs) };
    const edited: Result = yield {
      ...editStep(env, object.oid, version, mark(env, attempt)),
      accept: [...anySuccess, 409],
    };
    if (edited.status !== 409) return;
  }
};

/** Entries of an array that one journey alone edits: what they hold, and the ids that the service gave them. */
export interface KnownEntries {
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
export function editEntries(env: JourneyEnv, number: number, { entries, ids }: KnownEntries): Edit {
  const { arrayPort } = env.ground.softType;
  if (arrayPort === undefined) return { operations: [], entries };
  if (number === 1) return addEntries(env, number, firstEntries, entries);
  const at = pickBetween(env, 0, entriesPerPage - 1);
  // an answer that did not come leaves ids unknown
  const id = ids.length === entries.length ? ids[at] : undefined;
  if (id === undefined) return addEntries(env, number, 1, entries);
  if (number === 2)
    return {
      operations: [{ op: 'remove', path: `${pointerThrough([arrayPort.member, id])}/` }],
      entries: entries.filter((_, index) => index !== at),
    };
  const text = `${mark(env, number)}.new`;
  const added = addEntries(
    env,
    number,
    1,
    entries.map((old, index) => (index === at ? { ...old, [arrayPort.text]: text } : old)),
  );
  return {
    operations: [
      { op: 'replace', path: pointerThrough([arrayPort.member, id, arrayPort.text]), value: text },
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
    path: pathOf(env, 'page', { arrayPortId: arrayPort.portId, objectId: oid, pageNumber: index + 1 }),
    about: { kind: 'page', oid, page: index + 1, entries },
  }));
}

/** Ids of the entries that a read or a page shows. */
export function idsIn(env: JourneyEnv, result: Result): readonly string[] {
  const { data } = objectIn(result);
  const entries: unknown = isObject(data) ? data[member(env)] : data;
  return Array.isArray(entries) ? entries.filter(isObject).map((entry) => String(entry['$entryId'])) : [];
}

function addEntries(env: JourneyEnv, number: number, count: number, before: readonly EntryContent[]): Edit {
  const { text = '' } = env.ground.softType.arrayPort ?? {};
  const added = Array.from({ length: count }, (_, index) => {
    const own = `${mark(env, number)}.${index}`;
    return { ...uniqueWith(pick(env, env.ground.entries), own), [text]: own };
  });
  return {
    operations: added.map((value) => ({ op: 'add', path: pointerThrough([member(env), '-']), value })),
    entries: [...before, ...added],
  };
}

function member({ ground }: JourneyEnv): string {
  return ground.softType.arrayPort?.member ?? '';
}
