import { replacing, together, type Fault } from '../faults/fault.ts';
import { Refusal } from '../problem.ts';
import type { Answer } from '../service.ts';
import { restated, restating } from './choice.ts';

/** Refusals have bodies of many kinds, by status: a text, a page of HTML, JSON of other shapes, none at all. No challenge, no Allow. */
export const otherRefusalBodies: Fault = together(
  replacing(
    'problemAnswer',
    () =>
      (_service, _call, { status, message }) =>
        bodyFor(status, message),
  ),
  replacing('grantErrorAnswer', (right) => (refusal) => ({
    status: right(refusal).status,
    body: { fault: { name: refusal.code } },
  })),
);

function bodyFor(status: number, message: string): Answer {
  switch (status) {
    case 401:
      return { status };
    case 403:
      return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, raw: `No: ${message}` };
    case 404:
      return { status, headers: { 'Content-Type': 'text/html' }, raw: '<!doctype html><title>Nothing here</title>' };
    case 409:
      return { status, body: [message] };
    case 412:
      return { status, body: message };
    default:
      return {
        status,
        headers: { 'Content-Type': 'application/vnd.strange.error+json' },
        body: { error: { code: `S-${status}`, message }, traceId: null },
      };
  }
}

/** Where the document names no status another one is taken, by what is wrong. */
export const otherRefusalStatuses: Fault = together(
  replacing(
    'jsonBodyOf',
    (right) =>
      (...args) =>
        restating({ 400: 422 }, () => right(...args)),
  ),
  replacing(
    'inputFrom',
    (right) =>
      (...args) =>
        restating({ 422: 400 }, () => right(...args)),
  ),
  replacing(
    'assertComplete',
    (right) =>
      (...args) =>
        restating({ 422: 400 }, () => right(...args)),
  ),
  replacing(
    'assertReference',
    (right) =>
      (...args) =>
        right(...args).catch(restated({ 422: 424 })),
  ),
  replacing(
    'createViewOf',
    (right) =>
      (...args) =>
        restating({ 404: 400 }, () => right(...args)),
  ),
  replacing(
    'outputViewOf',
    (right) =>
      (...args) =>
        restating({ 404: 400 }, () => right(...args)),
  ),
  replacing(
    'inputViewOf',
    (right) =>
      (...args) =>
        restating({ 404: 400 }, () => right(...args)),
  ),
  replacing(
    'createObject',
    (right) =>
      (...args) =>
        right(...args).catch(restated({ 404: 422 })),
  ),
  replacing(
    'locateSection',
    (right) =>
      (...args) =>
        right(...args).catch(restated({ 404: 400 })),
  ),
  replacing('problemAnswer', (right) => (service, call, refusal) => right(service, call, unrouted(refusal))),
);

/** A route without the method is no route. */
function unrouted(refusal: Refusal): Refusal {
  return refusal.status === 405 ? new Refusal(404, refusal.message) : refusal;
}

/** A list that does not apply is refused by what is in its way; one that is badly formed with 422. */
export const otherOperationStatuses: Fault = together(
  replacing(
    'operationsOf',
    (right) =>
      (...args) =>
        restating({ 400: 422 }, () => right(...args)),
  ),
  replacing(
    'targetOf',
    (right) =>
      (...args) =>
        right(...args).catch(restated({ 422: 404 })),
  ),
  replacing(
    'addValue',
    (right) =>
      (...args) =>
        right(...args).catch(restated({ 422: 409 })),
  ),
  replacing(
    'replaceValue',
    (right) =>
      (...args) =>
        right(...args).catch(restated({ 422: 400 })),
  ),
  replacing(
    'removeTarget',
    (right) =>
      (...args) =>
        right(...args).catch(restated({ 422: 423 })),
  ),
);

/** Who asks for a space that is not there learns no more than who may not enter it. */
export const hiddenSpaces: Fault = replacing(
  'spaceOf',
  (right) =>
    (...args) =>
      restating({ 404: 403 }, () => right(...args)),
);

/** Headers are looked at before the object is looked for. */
export const headersFirst: Fault = replacing('locateObject', (right) => async (service, call, reading) => {
  service.behaviours.informationFilterOf(service, call);
  if (call.method === 'PUT' || call.method === 'PATCH') service.behaviours.versionHeaderOf(service, call);
  return right(service, call, reading);
});

/** Who takes no JSON gets none. */
export const jsonOrNothing: Fault = replacing('carryOut', (right) => async (service, route, call) => {
  const accepted = call.headers['accept'] ?? '*/*';
  if (/json|\*\/\*|application\/\*/i.test(accepted)) return right(service, route, call);
  if (route.access !== 'public') await service.behaviours.authenticate(service, call);
  throw new Refusal(406, `There is JSON to be had, and no ${accepted}.`);
});
