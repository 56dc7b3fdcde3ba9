import { mediaTypes } from '../../../contract/names.ts';
import type { Journey, JourneyEnv } from '../journey.ts';
import type { HttpStep, Result } from '../step.ts';
import { entryOperations, idsIn, pagesOf, type Listed } from './listed.ts';
import { bodyWith, createStep, mark, oidIn, path, readStep, versioned, versionIn } from './words.ts';

const edits = 3;

/** Creates an object, changes its text and its array by operations, and looks at both before and after: nobody else edits it. */
export const author: Journey = function* (env) {
  const created: Result = yield createStep(env, bodyWith(env, mark(env, 0)));
  const oid = oidIn(created);
  let version = versionIn(created);
  if (oid === undefined || version === undefined) return;
  let listed: Listed = { entries: [], ids: [] };
  yield holding(env, oid, 0, []);
  for (let number = 1; number <= edits; number += 1) {
    const { operations, entries } = entryOperations(env, number, listed);
    const edited: Result = yield operationsStep(env, oid, version, number, operations);
    version = versionIn(edited);
    if (version === undefined) return;
    const read: Result = yield holding(env, oid, number, entries);
    let ids = idsIn(env, read);
    for (const page of pagesOf(env, oid, entries)) ids = [...ids, ...idsIn(env, yield page)];
    listed = { entries, ids };
  }
};

/** A read of what the edit with that number left. */
function holding(env: JourneyEnv, oid: string, number: number, entries: Listed['entries']): HttpStep {
  return {
    ...readStep(env, oid),
    about: { kind: 'read', oid, holds: mark(env, number), ...(env.ground.softType.arrayPort && { entries }) },
  };
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
    path: path(env, 'operations', { objectId: oid }),
    headers: { 'Content-Type': mediaTypes.operations, ...versioned(version) },
    body: JSON.stringify([{ op: 'replace', path: `/${first}`, value: marker }, ...more]),
    about: { kind: 'edit', oid, version, marker },
  };
}
