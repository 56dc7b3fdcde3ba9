import { Refusal } from '../../reference-server/http/refusal.ts';
import { replaces } from '../breaks.ts';
import { isObject, restateRefusalOf, type Choice } from './choice.ts';

export const batchChoices: readonly Choice[] = [
  /** A list of nothing is refused, and what is no list with 422. */
  {
    meets: 'no batch of nothing',
    silences: ['batch-empty-list', 'batch-body-no-array'],
    by: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      const operations = restateRefusalOf({ 400: 422 }, () => right(areas, body));
      if (operations.length === 0) throw new Refusal(400, 'There is nothing to do.');
      return operations;
    }),
  },
  /** What was undone or not begun is as much in conflict as what failed, and has no body. */
  {
    meets: '409 for what was undone with a batch',
    silences: ['batch-sibling-statuses'],
    by: replaces('batch', 'siblingResult', () => ({ statusCode: 409 })),
  },
  {
    meets: 'failed operations without a body',
    silences: ['batch-result-body-of-failure'],
    by: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const { statusCode, body } = right(areas, call, answer);
      return statusCode < 400 ? { statusCode, body } : { statusCode };
    }),
  },
  {
    meets: 'more members in batch results',
    silences: [],
    by: replaces('batch', 'batchAnswer', (right, areas, results) =>
      right(
        areas,
        results.map((result, operation) => ({ ...result, operation, warnings: [], data: null })),
      ),
    ),
  },
  /** Only what was created has an address in its result; what was edited has the one that it had. */
  {
    meets: 'no href in results of edits',
    silences: [],
    by: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      if (answer.status === 201 || !isObject(body)) return body;
      const { href: _known, ...others } = body;
      return others;
    }),
  },
  {
    meets: 'operations with absolute URIs only',
    silences: ['batch-href-form'],
    by: replaces('batch', 'pathOfHref', (right, areas, batch, href) =>
      /^https?:/i.test(href) ? right(areas, batch, href) : undefined,
    ),
  },
  {
    meets: 'no DELETE in a batch',
    silences: ['batch-delete'],
    by: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) =>
      method === 'DELETE' && path.includes('/softtype/') ? undefined : right(areas, table, method, path),
    ),
  },
  {
    meets: 'methods in any case',
    silences: ['batch-method-letter-case'],
    by: replaces('batch', 'batchOperationFrom', (right, areas, value, index) =>
      right(
        areas,
        isObject(value) && typeof value['method'] === 'string'
          ? { ...value, method: value['method'].toUpperCase() }
          : value,
        index,
      ),
    ),
  },
  /** A body has a media type, in an operation as in a request of its own. */
  {
    meets: 'operations that say what their body is',
    silences: ['batch-content-type-of-operation'],
    by: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const isTyped = Object.keys(operation.headers).some((name) => name.toLowerCase() === 'content-type');
      if (operation.body !== undefined && !isTyped)
        throw new Refusal(415, 'Say in Content-Type what the body of the operation is.');
      return right(areas, batch, operation);
    }),
  },
  {
    meets: '404 for what is not for a batch',
    silences: ['batch-unsupported-routes'],
    by: replaces('batch', 'prepareOperation', (right, ...args) => restateRefusalOf({ 400: 404 }, () => right(...args))),
  },
];
