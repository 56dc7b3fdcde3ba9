import type { Journey } from '../journey.ts';
import type { Result } from '../step.ts';
import {
  bodyWith,
  createStep,
  filled,
  jsonHeaders,
  mark,
  oidIn,
  operationOf,
  path,
  pick,
  readStep,
  versioned,
  versionIn,
} from './words.ts';

/** Takes an object up a state, down again where the service shows how, and up once more in a batch that creates and reads as well. */
export const approver: Journey = function* (env) {
  const { maturity, demotePath, space } = env.ground;
  if (maturity === undefined) return;
  const created: Result = yield createStep(env, bodyWith(env, mark(env, 0)));
  const oid = oidIn(created);
  let version = versionIn(created);
  if (oid === undefined || version === undefined) return;
  const promote = path(env, 'promote', { objectId: oid });
  const actions =
    demotePath === undefined
      ? [promote]
      : [promote, filled(demotePath, { spaceId: space, objectId: oid, ...levelOf(maturity) })];
  for (const action of actions) {
    const moved: Result = yield {
      kind: 'http',
      op: action === promote ? 'promote' : 'demote',
      method: 'PUT',
      path: action,
      headers: versioned(version),
      about: { kind: 'edit', oid, version },
    };
    const next = versionIn(moved);
    if (next === undefined) return;
    version = next;
  }
  yield readStep(env, oid);
  if (demotePath === undefined) return;
  const other = pick(env, env.ground.objects);
  const operations = [
    operationOf(env, { method: 'PUT', path: promote, headers: versioned(version) }),
    operationOf(env, { method: 'POST', path: path(env, 'create') }, bodyWith(env, mark(env, 1))),
    ...(other ? [operationOf(env, readStep(env, other.oid))] : []),
  ];
  yield {
    kind: 'http',
    op: 'batch',
    method: 'POST',
    path: path(env, 'batch'),
    headers: jsonHeaders,
    body: JSON.stringify(operations),
    about: {
      kind: 'batch',
      operations: [
        { method: 'PUT', oid, version },
        { method: 'POST' },
        ...(other ? [{ method: 'GET', oid: other.oid }] : []),
      ],
    },
  };
  yield readStep(env, oid);
};

function levelOf({
  processId,
  levelId,
}: {
  readonly processId: string;
  readonly levelId: string;
}): Record<string, string> {
  return { processId, levelId };
}
