import type { OperationRoutes } from '../../batch/operation-routes.ts';
import { Refusal } from '../../problem.ts';
import type { Service, SpaceCall } from '../../service.ts';
import { mayNeedValidation } from './promote.ts';

/**
 * Ahead of the change set of a batch: runs what its operations would run ahead of theirs, in order. A batch or an operation that is
 * malformed is left to the change set to refuse.
 */
export async function validatedBatch(service: Service, batch: SpaceCall, table: OperationRoutes): Promise<SpaceCall> {
  if (!(await service.store.read((reading) => mayNeedValidation(service, reading)))) return batch;
  let { verdicts } = batch;
  for (const [index, operation] of operationsOf(service, batch).entries()) {
    const asked = await validatedOperation(
      service,
      { ...batch, ...(verdicts === undefined ? {} : { verdicts }) },
      table,
      operation,
      index,
    );
    verdicts = asked?.verdicts ?? verdicts;
  }
  return verdicts === undefined ? batch : { ...batch, verdicts };
}

function operationsOf(service: Service, batch: SpaceCall): readonly unknown[] {
  return unlessRefused(() => service.behaviours.batchOperationsOf(service, batch)) ?? [];
}

async function validatedOperation(
  service: Service,
  batch: SpaceCall,
  table: OperationRoutes,
  operation: unknown,
  index: number,
): Promise<SpaceCall | undefined> {
  const prepared = unlessRefused(() => {
    const found = service.behaviours.prepareOperation(service, batch, table, operation, index);
    service.behaviours.authorize(service, found.call.user, found.route.access, found.call);
    return found;
  });
  if (prepared?.route.effect !== 'write') return undefined;
  return prepared.route.before?.(service, prepared.call);
}

function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
