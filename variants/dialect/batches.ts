import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, replaces } from '../breaks.ts';
import { isObject, restateRefusalOf } from './choice.ts';

/** A list of nothing is refused, and what is no list with 422. */
export const batchesOfSomething: Variant = replaces('batch', 'batchOperationsOf', (right, areas, body) => {
  const operations = restateRefusalOf({ 400: 422 }, () => right(areas, body));
  if (operations.length === 0) throw new Refusal(400, 'There is nothing to do.');
  return operations;
});

/** What was undone or not begun is as much in conflict as what failed, and has no body. */
export const undoneInConflict: Variant = replaces('batch', 'siblingResult', () => ({ statusCode: 409 }));

export const failuresWithoutBody: Variant = replaces('batch', 'operationResult', (right, areas, call, answer) => {
  const { statusCode, body } = right(areas, call, answer);
  return statusCode < 400 ? { statusCode, body } : { statusCode };
});

export const furtherResultMembers: Variant = replaces('batch', 'batchAnswer', (right, areas, results) =>
  right(
    areas,
    results.map((result, operation) => ({ ...result, operation, warnings: [], data: null })),
  ),
);

/** Only what was created has an address in its result; what was edited has the one that it had. */
export const hrefsOfCreatesOnly: Variant = replaces('batch', 'writtenBody', (right, areas, call, answer) => {
  const body = right(areas, call, answer);
  if (answer.status === 201 || !isObject(body)) return body;
  const { href: _known, ...others } = body;
  return others;
});

export const hrefsWithScheme: Variant = replaces('batch', 'pathOfHref', (right, areas, batch, href) =>
  /^https?:/i.test(href) ? right(areas, batch, href) : undefined,
);

export const noDeletesInBatches: Variant = replaces('batch', 'operationRouteOf', (right, areas, table, method, path) =>
  method === 'DELETE' && path.includes('/softtype/') ? undefined : right(areas, table, method, path),
);

export const methodsInAnyCase: Variant = replaces('batch', 'batchOperationFrom', (right, areas, value, index) =>
  right(
    areas,
    isObject(value) && typeof value['method'] === 'string'
      ? { ...value, method: value['method'].toUpperCase() }
      : value,
    index,
  ),
);

/** A body has a media type, in an operation as in a request of its own. */
export const typedOperations: Variant = replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
  const isTyped = Object.keys(operation.headers).some((name) => name.toLowerCase() === 'content-type');
  if (operation.body !== undefined && !isTyped)
    throw new Refusal(415, 'Say in Content-Type what the body of the operation is.');
  return right(areas, batch, operation);
});

export const unknownOperations: Variant = replaces('batch', 'prepareOperation', (right, ...args) =>
  restateRefusalOf({ 400: 404 }, () => right(...args)),
);
