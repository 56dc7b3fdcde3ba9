import { AsyncLocalStorage } from 'node:async_hooks';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import type { Answer } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, replaces } from '../breaks.ts';
import { isObject, type Choice } from './choice.ts';

export const correlationOfOperations: Variant = replaces(
  'batch',
  'prepareOperation',
  (right, areas, batch, table, value, index) => {
    const prepared = right(areas, batch, table, value, index);
    const own = Object.entries(areas.batch.batchOperationFrom(value, index).headers).find(
      ([name]) => name.toLowerCase() === headerNames.correlationId.toLowerCase(),
    )?.[1];
    return own === undefined ? prepared : { ...prepared, call: { ...prepared.call, correlationId: own } };
  },
);

interface Before {
  readonly versions: Map<string, number>;
  readonly reads: ReadonlyMap<unknown, Answer>;
}

export const foreignBatches: readonly Choice[] = [
  /** Credentials and filter are those of the batch, and are not said again. */
  {
    meets: 'operations without credentials',
    silences: ['batch-authorization-in-operation'],
    by: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const names = Object.keys(operation.headers).map((name) => name.toLowerCase());
      if (names.includes('authorization') || names.includes(headerNames.informationFilter.toLowerCase()))
        throw new Refusal(400, 'Credentials and filter are those of the batch.');
      return right(areas, batch, operation);
    }),
  },
  /** A list is a list of operations, whatever type its operation names or does not. */
  {
    meets: 'lists that are operations',
    silences: ['batch-content-type-of-operation'],
    by: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const headers = right(areas, batch, operation);
      const isTyped = Object.keys(operation.headers).some((name) => name.toLowerCase() === 'content-type');
      const isList = !isTyped && operation.method === 'PATCH' && Array.isArray(operation.body);
      return isList ? { ...headers, 'content-type': mediaTypes.operations } : headers;
    }),
  },
  { meets: 'operations with a correlation id', silences: ['batch-correlation-id'], by: correlationOfOperations },
  /** Pages are none of the routes that a batch knows, and what it does not know is not allowed. */
  {
    meets: 'no pages in a batch',
    silences: ['batch-unsupported-routes'],
    by: replaces('batch', 'prepareOperation', (right, areas, batch, table, value, index) => {
      const prepared = right(areas, batch, table, value, index);
      if (prepared.route.path === routes.page) throw new Refusal(405, 'A batch turns no pages.');
      return prepared;
    }),
  },
  {
    meets: '405 for what a batch does not know',
    silences: ['batch-unsupported-routes'],
    by: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) => {
      const found = right(areas, table, method, path);
      if (found === undefined) throw new Refusal(405, 'A batch knows no such route.');
      return found;
    }),
  },
  /** What was undone keeps the status that it had; what was not begun has one of its own. */
  {
    meets: 'undone operations with a status of success',
    silences: ['batch-sibling-statuses'],
    by: replaces('batch', 'resultsOfUndone', (right, areas, batch, count, failedIndex, failed) =>
      right(areas, batch, count, failedIndex, failed).map((result, index) => {
        if (index < failedIndex) return { statusCode: 202 };
        return index === failedIndex ? result : { statusCode: 503 };
      }),
    ),
  },
  /** A batch that is no list fails as one that has an operation that fails. */
  {
    meets: '500 for a batch that is no list',
    silences: ['batch-body-no-array'],
    by: replaces('batch', 'batchOperationsOf', (_right, _areas, body) => {
      if (Array.isArray(body)) return body;
      throw new Refusal(500, 'A batch is a list.');
    }),
  },
  /** The operations of a batch are made by somebody who read before it: they name the version of then, and reads show what was there then. */
  {
    meets: 'batches made for what was there before',
    silences: ['batch-read-after-write', 'batch-same-object-twice'],
    by: (classes) => {
      const running = new AsyncLocalStorage<Before>();
      const asItWas = replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
        const reads = new Map<unknown, Answer>();
        for (const [index, value] of call.json.entries()) {
          if (!isObject(value) || value['method'] !== 'GET') continue;
          const { answer } = await areas.batch.runOperation(call, writing, table, value, index);
          reads.set(value, answer);
        }
        return running.run({ versions: new Map(), reads }, () => right(areas, call, writing, table));
      });
      const readThen = replaces('batch', 'runOperation', async (right, areas, batch, writing, table, value, index) => {
        const outcome = await right(areas, batch, writing, table, value, index);
        const answer = running.getStore()?.reads.get(value);
        return answer === undefined ? outcome : { ...outcome, answer };
      });
      const versionThen = replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const versions = running.getStore()?.versions;
        if (versions === undefined) return right(areas, call, object);
        const version = versions.get(object.oid) ?? object.version;
        versions.set(object.oid, version);
        return right(areas, call, { ...object, version });
      });
      return versionThen(readThen(asItWas(classes)));
    },
  },
];
