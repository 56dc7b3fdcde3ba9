import { mediaTypes } from '../../contract/names.ts';
import { answered } from '../http/answering.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import type { Writing } from '../store/store.ts';
import { Undone } from '../undone.ts';
import { Births } from './births.ts';
import type { OperationRoute, OperationRoutes } from './operation-routes.ts';
import type { BatchResult } from './result.ts';

/** An operation with the route that carries it out. */
export interface PreparedOperation {
  readonly call: SpaceCall;
  readonly route: OperationRoute;
}

/** An operation and what came of it. */
export interface OperationOutcome {
  readonly call: SpaceCall;
  readonly answer: Answer;
}

/**
 * Runs the operations in order inside the change set of the batch, so that each sees what those before it wrote; the first that fails
 * ends and undoes it. Source: core, Batch rules; ledger batch-read-after-write.
 * @throws {Undone} with the answer of a batch that failed
 */
export async function runBatch(
  service: Service,
  call: SpaceCall,
  writing: Writing,
  table: OperationRoutes,
): Promise<Answer> {
  const { behaviours } = service;
  behaviours.requireMediaType(service, call, [mediaTypes.json]);
  behaviours.informationFilterOf(service, call);
  const operations = behaviours.batchOperationsOf(service, call);
  const births = new Births();
  const results: BatchResult[] = [];
  for (const [index, operation] of operations.entries()) {
    const batch = { ...call, isSibling: (oid: string) => births.isSibling(oid, index) };
    const outcome = await behaviours.runOperation(
      service,
      batch,
      births.noting(writing, index),
      table,
      operation,
      index,
    );
    const result = behaviours.operationResult(service, outcome.call, outcome.answer);
    results.push(result);
    if (behaviours.failsBatch(outcome)) {
      return behaviours.undoBatch(service, behaviours.resultsOfUndone(service, call, operations.length, index, result));
    }
  }
  return behaviours.batchAnswer(service, results);
}

/** Answers as the route would have answered alone. Never rejects. */
export async function runOperation(
  service: Service,
  batch: SpaceCall,
  writing: Writing,
  table: OperationRoutes,
  operation: unknown,
  index: number,
): Promise<OperationOutcome> {
  const prepared = preparedOr(() => service.behaviours.prepareOperation(service, batch, table, operation, index));
  if (prepared instanceof Refusal)
    return { call: batch, answer: await answered(service, batch, () => Promise.reject(prepared)) };
  const { call } = prepared;
  return {
    call,
    answer: await answered(service, call, () => service.behaviours.carryOutOperation(service, prepared, writing)),
  };
}

function preparedOr(prepare: () => PreparedOperation): PreparedOperation | Refusal {
  try {
    return prepare();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** @throws {Refusal} 400 for what is no operation, and for routes that a batch does not know, those of other spaces among them */
export function prepareOperation(
  service: Service,
  batch: SpaceCall,
  table: OperationRoutes,
  value: unknown,
  index: number,
): PreparedOperation {
  const { behaviours } = service;
  const operation = behaviours.batchOperationFrom(value, index);
  const path = behaviours.pathOfHref(batch, operation.href);
  if (path === undefined) throw unsupported(index, 'its href leads to another host');
  const found = behaviours.operationRouteOf(table, operation.method, path.split('?', 1)[0] ?? '');
  if (found === undefined) throw unsupported(index, `a batch knows no ${operation.method} of such a route`);
  if (found.params.spaceId !== batch.space.id)
    throw unsupported(index, `its href leads out of the space ${batch.space.id}`);
  return { route: found.route, call: behaviours.operationCall(service, batch, operation, path, found) };
}

function unsupported(index: number, why: string): Refusal {
  return new Refusal(400, `Operation ${index} cannot be carried out: ${why}.`, { pointer: `/${index}/href` });
}

/** Access first, then the work of the route in the change set of the batch. Source: core, Authentication 6 and 7 @throws {Refusal} */
export async function carryOutOperation(
  service: Service,
  { route, call }: PreparedOperation,
  writing: Writing,
): Promise<Answer> {
  service.behaviours.authorize(service, call.user, route.access, call);
  return route.handle(service, call, writing);
}

/** Whether the batch fails with this operation; a read counts as much as a write. Source: core, Batch rules 1 */
export function failsBatch({ answer }: OperationOutcome): boolean {
  return answer.status >= 400;
}

/** Rolls the change set back. Source: core, Batch rules 1 @throws {Undone} always */
export function undoBatch(service: Service, results: readonly BatchResult[]): Answer {
  throw new Undone(service.behaviours.batchAnswer(service, results));
}
