import { instancesPerMultiCreate } from '../../../contract/limits.ts';
import type { Journey } from '../journey.ts';
import { isAnsweredWell, jsonIn, lastSegment, oidIn, valueAt, versionIn } from '../results.ts';
import type { Result } from '../step.ts';
import {
  bodyWith,
  createStep,
  fillPlaceholders,
  isOffered,
  jsonHeaders,
  mark,
  batchStep,
  operationOf,
  pathOf,
  pick,
  readStep,
  versionHeader,
} from './steps.ts';

/** Documented guideline. Source: core, Limits, operations per batch */
const operationsPerBatch = 100;

/** Brings in many objects: as many as a multi-create takes, then a batch of creates, and looks at the last one of each. */
export const importer: Journey = function* (env) {
  const { softType, multiCreate } = env.ground;
  if (multiCreate !== undefined) {
    const items = Array.from({ length: instancesPerMultiCreate }, (_, index) => ({
      $id: `i${index}`,
      $softType: softType.definitionId,
      data: bodyWith(env, mark(env, index)),
    }));
    const created: Result = yield {
      kind: 'http',
      op: 'multi-create',
      method: 'POST',
      path: multiCreate.path,
      headers: jsonHeaders,
      body: JSON.stringify(items),
    };
    const last = items.length - 1;
    const oid = idAt(created, multiCreate.resultHref.replace('{index}', String(last)).replace('{id}', `i${last}`));
    if (oid !== undefined) yield readStep(env, oid, multiCreate.inOrder ? mark(env, last) : undefined);
  }
  if (!isOffered(env.ground, 'batch')) return;
  const create = { method: 'POST', path: pathOf(env, 'create') } as const;
  const operations = Array.from({ length: operationsPerBatch }, (_, index) =>
    operationOf(env, create, bodyWith(env, mark(env, instancesPerMultiCreate + index))),
  );
  const results: Result = yield batchStep(
    env,
    operations,
    operations.map(() => ({ method: 'POST' })),
  );
  const oid = idAt(results, `/${operations.length - 1}/body/href`);
  if (oid !== undefined) yield readStep(env, oid, mark(env, instancesPerMultiCreate + operationsPerBatch - 1));
};

/** Id of the object whose URI or id stands there in an answer that tells of success; what a refusal names need not be there. */
function idAt(result: Result, pointer: string): string | undefined {
  const found = isAnsweredWell(result.status) ? valueAt(jsonIn(result), pointer) : undefined;
  return typeof found === 'string' ? lastSegment(found) : undefined;
}

/** Takes an object up a state, down again where the service shows how, and up once more in a batch that creates and reads as well. */
export const approver: Journey = function* (env) {
  const { maturity, demotePath, space } = env.ground;
  if (maturity === undefined) return;
  const { processId, levelId } = maturity;
  const created: Result = yield createStep(env, bodyWith(env, mark(env, 0)));
  const oid = oidIn(created);
  let version = versionIn(created);
  if (oid === undefined || version === undefined) return;
  const promote = pathOf(env, 'promote', { objectId: oid });
  const actions =
    demotePath === undefined
      ? [promote]
      : [promote, fillPlaceholders(demotePath, { spaceId: space, objectId: oid, processId, levelId })];
  for (const action of actions) {
    const moved: Result = yield {
      kind: 'http',
      op: action === promote ? 'promote' : 'demote',
      method: 'PUT',
      path: action,
      headers: versionHeader(version),
      about: { kind: 'edit', oid, version },
    };
    const next = versionIn(moved);
    // what the move before has done is looked at all the same
    if (next === undefined) {
      yield readStep(env, oid);
      return;
    }
    version = next;
  }
  yield readStep(env, oid);
  if (demotePath === undefined || !isOffered(env.ground, 'batch')) return;
  const other = pick(env, env.ground.objects);
  const operations = [
    operationOf(env, { method: 'PUT', path: promote, headers: versionHeader(version) }),
    operationOf(env, { method: 'POST', path: pathOf(env, 'create') }, bodyWith(env, mark(env, 1))),
    ...(other ? [operationOf(env, readStep(env, other.oid))] : []),
  ];
  yield batchStep(env, operations, [
    { method: 'PUT', oid, version },
    { method: 'POST' },
    ...(other ? [{ method: 'GET', oid: other.oid }] : []),
  ]);
  yield readStep(env, oid);
};
