import { instancesPerMultiCreate } from '../../../contract/limits.ts';
import type { Journey } from '../journey.ts';
import type { Result } from '../step.ts';
import { bodyWith, inBatch, isObject, jsonHeaders, jsonIn, lastSegment, mark, path, readStep } from './words.ts';

/** Documented guideline. Source: core, Limits, operations per batch */
const operationsPerBatch = 100;

/** Brings in many objects: as many as a multi-create takes, then a batch of creates, and looks at the last one. */
export const importer: Journey = function* (env) {
  const { softType, multiCreate } = env.ground;
  if (multiCreate !== undefined) {
    const items = Array.from({ length: instancesPerMultiCreate }, (_, index) => ({
      $id: `i${index}`, $softType: softType.definitionId, data: bodyWith(env, mark(env, index)),
    }));
    yield {
      kind: 'http', op: 'multi-create', method: 'POST', path: multiCreate.path, headers: jsonHeaders,
      body: JSON.stringify(items), about: { kind: 'multi-create', items: items.length },
    };
  }
  const operations = Array.from({ length: operationsPerBatch }, (_, index) => ({
    method: 'POST', href: inBatch(env, path(env, 'create')), body: bodyWith(env, mark(env, instancesPerMultiCreate + index)),
  }));
  const results: Result = yield {
    kind: 'http', op: 'batch', method: 'POST', path: path(env, 'batch'), headers: jsonHeaders, body: JSON.stringify(operations),
    about: { kind: 'batch', operations: operations.map(({ method }) => ({ method })) },
  };
  const oid = lastCreated(jsonIn(results));
  if (oid !== undefined) yield readStep(env, oid, mark(env, instancesPerMultiCreate + operationsPerBatch - 1));
};

function lastCreated(results: unknown): string | undefined {
  const last: unknown = Array.isArray(results) ? results.at(-1) : undefined;
  const body = isObject(last) ? last['body'] : undefined;
  const href = isObject(body) ? body['href'] : undefined;
  return typeof href === 'string' ? lastSegment(href) : undefined;
}
