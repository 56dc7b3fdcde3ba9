import { replacing, type Fault } from '../faults/fault.ts';
import { Refusal } from '../problem.ts';
import { restating } from './choice.ts';
import { isObject } from './json.ts';

/** A list of nothing is refused, and what is no list with 422. */
export const batchesOfSomething: Fault = replacing('batchOperationsOf', (right) => (service, call) => {
  const operations = restating({ 400: 422 }, () => right(service, call));
  if (operations.length === 0) throw new Refusal(400, 'There is nothing to do.');
  return operations;
});

/** What was undone or not begun is as much in conflict as what failed, and has no body. */
export const undoneInConflict: Fault = replacing('siblingResult', () => () => ({ statusCode: 409 }));

/** What failed says so by its status alone. */
export const failuresWithoutBody: Fault = replacing('operationResult', (right) => (service, call, answer) => {
  const { statusCode, body } = right(service, call, answer);
  return statusCode < 400 ? { statusCode, body } : { statusCode };
});

/** Results have members that the document does not name. */
export const furtherResultMembers: Fault = replacing(
  'batchAnswer',
  (right) => (service, results) =>
    right(
      service,
      results.map((result, operation) => ({ ...result, operation, warnings: [], data: null })),
    ),
);

/** Only what was created has an address in its result; what was edited has the one that it had. */
export const hrefsOfCreatesOnly: Fault = replacing('writtenBody', (right) => (service, call, answer) => {
  const body = right(service, call, answer);
  if (answer.status === 201 || !isObject(body)) return body;
  const { href: _known, ...others } = body;
  return others;
});

/** A full URI begins with the scheme. */
export const hrefsWithScheme: Fault = replacing(
  'pathOfHref',
  (right) => (batch, href) => (/^https?:/i.test(href) ? right(batch, href) : undefined),
);

/** A batch deletes no instances. */
export const noDeletesInBatches: Fault = replacing(
  'operationRouteOf',
  (right) => (table, method, path) =>
    method === 'DELETE' && path.includes('/softtype/') ? undefined : right(table, method, path),
);

/** get is GET. */
export const methodsInAnyCase: Fault = replacing(
  'batchOperationFrom',
  (right) => (value, index) =>
    right(
      isObject(value) && typeof value['method'] === 'string'
        ? { ...value, method: value['method'].toUpperCase() }
        : value,
      index,
    ),
);

/** A body has a media type, in an operation as in a request of its own. */
export const typedOperations: Fault = replacing('operationHeaders', (right) => (service, batch, operation) => {
  const isTyped = Object.keys(operation.headers).some((name) => name.toLowerCase() === 'content-type');
  if (operation.body !== undefined && !isTyped)
    throw new Refusal(415, 'Say in Content-Type what the body of the operation is.');
  return right(service, batch, operation);
});

/** What a batch does not know is not there. */
export const unknownOperations: Fault = replacing(
  'prepareOperation',
  (right) =>
    (...args) =>
      restating({ 400: 404 }, () => right(...args)),
);
