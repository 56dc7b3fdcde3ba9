import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { Refusal } from '../../problem.ts';
import type { Service } from '../../service.ts';
import { isJson } from '../answer.ts';
import { replacing, together, type Fault, type FaultsOf } from '../fault.ts';
import { afterFailedBatch } from './after-failed.ts';
import { committingOneByOne } from './one-by-one.ts';
import { sharingTemporaryIds } from './temporary-ids.ts';

const versionHeader = headerNames.version.toLowerCase();
const filterHeader = headerNames.informationFilter.toLowerCase();
const undoneStatus = 424;

export const batchFaults: FaultsOf<'batch'> = {
  'batch.success.status-200': replacing('batchStatus', (right) => (results) => {
    const status = right(results);
    return status === 200 && results.some(({ statusCode }) => statusCode === 201) ? 201 : status;
  }),

  'batch.failure.status-500': replacing(
    'batchStatus',
    (right) => (results) =>
      results.find(({ statusCode }) => statusCode >= 400 && statusCode !== undoneStatus)?.statusCode ?? right(results),
  ),

  'batch.result.one-per-operation': replacing(
    'resultsOfUndone',
    (right) => (service, batch, count, failedIndex, failed) =>
      right(service, batch, count, failedIndex, failed).slice(0, failedIndex + 1),
  ),

  'batch.result.keeps-order': replacing(
    'batchAnswer',
    (right) => (service, results) =>
      right(
        service,
        results.toSorted((one, other) => one.statusCode - other.statusCode),
      ),
  ),

  'batch.result.status-code-is-integer': replacing('operationResult', (right) => (service, call, answer) => {
    const result = right(service, call, answer);
    return result.statusCode < 400 ? { ...result, statusCode: 200 } : result;
  }),

  'batch.result.create-href': replacing('batchAnswer', (right) => (service, results) => {
    const last = results.findLast(({ statusCode }) => statusCode === 201)?.body;
    return right(
      service,
      results.map((result) =>
        result.statusCode === 201 && isJson(result.body) && isJson(last)
          ? { ...result, body: { ...result.body, href: last['href'] } }
          : result,
      ),
    );
  }),

  'batch.result.version-in-body': replacing('writtenBody', (right) => (service, call, answer) => {
    const body = right(service, call, answer);
    return call.method === 'PATCH' && isJson(body) ? { ...body, version: Number(body['version']) - 1 } : body;
  }),

  'batch.result.create-carries-no-data': replacing('writtenBody', (right) => (service, call, answer) => {
    const body = right(service, call, answer);
    return answer.status === 201 && isJson(body) ? { ...body, data: JSON.parse(String(call.body)), links: [] } : body;
  }),

  'batch.get.returns-read-response': replacing('operationResult', (right) => (service, call, answer) => {
    const result = right(service, call, answer);
    const { body } = result;
    return call.method === 'GET' && isJson(body) && 'data' in body
      ? { ...result, body: { href: body['href'], version: body['version'] } }
      : result;
  }),

  'batch.version.mismatch-409': replacing('operationHeaders', (right) => (service, batch, operation) => {
    const headers = right(service, batch, operation);
    return batch.headers[versionHeader] === undefined
      ? headers
      : { ...headers, [versionHeader]: batch.headers[versionHeader] };
  }),

  'batch.version.absent-412': replacing(
    'carryOutOperation',
    (right) => (service, prepared, writing) =>
      right(prepared.call.headers[versionHeader] === undefined ? withoutVersions(service) : service, prepared, writing),
  ),

  'batch.rollback.edits-undone': afterFailedBatch(
    ({ call, method }) => method === 'PATCH' && call.params['inputSchemaId'] !== undefined,
    async (service, { call }, writing) => {
      const object = await writing.object(call.space.id, call.params['objectId'] ?? '');
      if (object === undefined) return;
      service.behaviours.forgetReads(service, object.spaceId, object.oid);
      await writing.updateObject(object.spaceId, object.oid, object.version + 1, object.content);
    },
  ),

  'batch.rollback.creates-undone': afterFailedBatch(
    ({ call, method }) => method === 'POST' && call.params['inputSchemaId'] !== undefined,
    async (service, { call }, writing) => void (await service.behaviours.createObject(service, call, writing)),
  ),

  'batch.rollback.promotion-undone': afterFailedBatch(
    ({ call }) => call.url.includes('/maturityAction/promote/'),
    async (service, { call }, writing) => void (await service.behaviours.promoteObject(service, call, writing)),
  ),

  'batch.rollback.failed-read-aborts-writes': replacing(
    'failsBatch',
    (right) => (outcome) => outcome.call.method !== 'GET' && right(outcome),
  ),

  'batch.rollback.objects-stay-writable': lockingAfterFailure(),

  'batch.commit.visible-together': committingOneByOne(),

  'batch.headers.authorization-inherited': replacing('carryOut', (right) => async (service, route, call) => {
    const own = /"authorization"\s*:\s*"(Bearer [^"]+)"/i.exec(String(call.body))?.[1];
    const borrowed = call.url.endsWith('/batch') && call.headers['authorization'] === undefined && own !== undefined;
    return right(service, route, borrowed ? { ...call, headers: { ...call.headers, authorization: own } } : call);
  }),

  'batch.headers.authorization-not-replaced': together(
    replacing('operationHeaders', (right) => (service, batch, operation) => {
      const own = Object.entries(operation.headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
      return { ...right(service, batch, operation), ...(own !== undefined && { authorization: own }) };
    }),
    replacing('carryOutOperation', (right) => async (service, prepared, writing) => {
      const user = await service.behaviours.authenticate(service, prepared.call);
      return right(service, { ...prepared, call: { ...prepared.call, user } }, writing);
    }),
  ),

  'batch.headers.filter-inherited': replacing('operationHeaders', (right) => (service, batch, operation) => ({
    ...right(service, batch, operation),
    [filterHeader]: Buffer.from('{}').toString('base64'),
  })),

  'batch.auth.forbidden-operation': replacing(
    'carryOutOperation',
    () =>
      (service, { route, call }, writing) =>
        route.handle(service, call, writing),
  ),

  'batch.route.create-and-edit': replacing('operationHeaders', (right) => (service, batch, operation) => ({
    ...right(service, batch, operation),
    'content-type': mediaTypes.json,
  })),

  'batch.route.put': replacing(
    'carryOutOperation',
    (right) => (service, prepared, writing) =>
      prepared.call.method === 'PUT' && prepared.call.url.includes('/softtype/')
        ? service.behaviours.mergeObject(service, prepared.call, writing)
        : right(service, prepared, writing),
  ),

  'batch.route.maturity-actions': unknownTo('/maturityAction/'),
  'batch.route.lock-objects': unknownTo('/lock/'),

  'batch.route.multi-create': afterFailedBatch(
    ({ call, method }) => method === 'POST' && /\/softtype$/i.test(call.url),
    async (service, { call }, writing) => void (await service.behaviours.multiCreate(service, call, writing)),
  ),

  'batch.operation.required-members': replacing(
    'batchOperationFrom',
    (right) => (value, index) =>
      right(isJson(value) && value['method'] === undefined ? { ...value, method: 'GET' } : value, index),
  ),

  'batch.relation.across-operations-impossible': sharingTemporaryIds(),

  'batch.size.hundred-operations': refusingMoreThan(50),
  'batch.size.no-hard-limit': refusingMoreThan(100),

  'batch.size.finishes-without-client': replacing('carryOut', (right) => async (service, route, call) => {
    if (!call.url.endsWith('/batch')) return right(service, route, call);
    await service.clock.sleep(60);
    if (call.isAbandoned?.()) throw new Refusal(408, 'Nobody waits for the answer.');
    return right(service, route, call);
  }),
};

/** The service that takes any version for the current one. */
function withoutVersions(service: Service): Service {
  return {
    ...service,
    behaviours: { ...service.behaviours, assertVersion: (_service, _call, object) => object.version },
  };
}

/** A batch knows no route of this kind. */
function unknownTo(segment: string): Fault {
  return replacing(
    'operationRouteOf',
    (right) => (table, method, path) => (path.includes(segment) ? undefined : right(table, method, path)),
  );
}

function refusingMoreThan(limit: number): Fault {
  return replacing('batchOperationsOf', (right) => (service, call) => {
    const operations = right(service, call);
    if (operations.length > limit) throw new Refusal(413, `A batch takes at most ${limit} operations.`);
    return operations;
  });
}

/** What a failed batch edited cannot be edited any more. */
function lockingAfterFailure(): Fault {
  const locked = new Set<string>();
  return together(
    afterFailedBatch(
      ({ method }) => method === 'PATCH',
      async (_service, { call }) => void locked.add(call.params['objectId'] ?? ''),
    ),
    replacing('locateObject', (right) => async (service, call, reading) => {
      if (call.method !== 'GET' && locked.has(call.params['objectId'] ?? ''))
        throw new Refusal(423, 'A batch has not let go of the object.');
      return right(service, call, reading);
    }),
  );
}
