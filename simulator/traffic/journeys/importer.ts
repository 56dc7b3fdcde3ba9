import { instancesPerMultiCreate } from '../../../contract/limits.ts';
import type { Journey } from '../journey.ts';
import type { Result } from '../step.ts';
import {
  bodyWith,
  isAnsweredWell,
  jsonHeaders,
  jsonIn,
  lastSegment,
  mark,
  operationOf,
  path,
  readStep,
  valueAt,
} from './words.ts';

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
      about: { kind: 'multi-create', items: items.length },
    };
    const last = items.length - 1;
    const oid = idAt(created, multiCreate.resultHref.replace('{index}', String(last)).replace('{id}', `i${last}`));
    if (oid !== undefined) yield readStep(env, oid, multiCreate.inOrder ? mark(env, last) : undefined);
  }
  const create = { method: 'POST', path: path(env, 'create') } as const;
  const operations = Array.from({ length: operationsPerBatch }, (_, index) =>
    operationOf(env, create, bodyWith(env, mark(env, instancesPerMultiCreate + index))),
  );
  const results: Result = yield {
    kind: 'http',
    op: 'batch',
    method: 'POST',
    path: path(env, 'batch'),
    headers: jsonHeaders,
    body: JSON.stringify(operations),
    about: { kind: 'batch', operations: operations.map(() => ({ method: 'POST' })) },
  };
  const oid = idAt(results, `/${operations.length - 1}/body/href`);
  if (oid !== undefined) yield readStep(env, oid, mark(env, instancesPerMultiCreate + operationsPerBatch - 1));
};

/** Id of the object whose URI or id stands there in an answer that tells of success; what a refusal names need not be there. */
function idAt(result: Result, pointer: string): string | undefined {
  const found = isAnsweredWell(result.status) ? valueAt(jsonIn(result), pointer) : undefined;
  return typeof found === 'string' ? lastSegment(found) : undefined;
}
