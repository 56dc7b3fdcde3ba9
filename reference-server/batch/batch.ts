import { routes } from '../../contract/routes.ts';
import type { Route } from '../route.ts';
import { operationCall, operationHeaders, pathOfHref } from './operation-call.ts';
import { OperationRoutes, operationRouteOf } from './operation-routes.ts';
import { batchOperationFrom, batchOperationsOf } from './operation.ts';
import { batchAnswer, batchStatus, operationResult, resultsOfUndone, siblingResult, writtenBody } from './result.ts';
import { carryOutOperation, failsBatch, prepareOperation, runBatch, runOperation, undoBatch } from './run.ts';

export const batchBehaviours = {
  runBatch,
  batchOperationsOf,
  batchOperationFrom,
  prepareOperation,
  operationRouteOf,
  pathOfHref,
  operationCall,
  operationHeaders,
  runOperation,
  carryOutOperation,
  failsBatch,
  undoBatch,
  operationResult,
  writtenBody,
  resultsOfUndone,
  siblingResult,
  batchStatus,
  batchAnswer,
};

/** @param served the routes whose requests may be operations of a batch */
export function batchRoutes(served: readonly Route[]): readonly Route[] {
  const table = new OperationRoutes(served);
  return [
    {
      method: 'POST',
      path: routes.batch,
      access: 'participant',
      effect: 'write',
      before: (service, call) => service.behaviours.validatedBatch(service, call, table),
      handle: (service, call, writing) => service.behaviours.runBatch(service, call, writing, table),
    },
  ];
}
