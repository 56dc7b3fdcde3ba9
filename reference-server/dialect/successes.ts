import { replacing, together, type Fault } from '../faults/fault.ts';
import type { Answer } from '../service.ts';

/** Where the document names no status of success, it is 200 and comes with a body. A merge, for which it does, stays 204. */
export const okInsteadOfNoContent: Fault = together(
  replacing(
    'putObject',
    (right) => async (service, call, writing) => ok(await right(service, call, writing), 'replaced'),
  ),
  replacing(
    'operateObject',
    (right) => async (service, call, writing) => ok(await right(service, call, writing), 'edited'),
  ),
  replacing(
    'deleteObject',
    (right) => async (service, call, writing) => ok(await right(service, call, writing), 'deleted'),
  ),
  replacing(
    'putProfile',
    (right) => async (service, call, writing) => ok(await right(service, call, writing), 'replaced'),
  ),
);

function ok(answer: Answer, outcome: string): Answer {
  return answer.status === 204 ? { ...answer, status: 200, body: { outcome, links: null } } : answer;
}

/** A create brings the read response along. */
export const createdWithBody: Fault = replacing('createObject', (right) => async (service, call, writing) => {
  const answer = await right(service, call, writing);
  const oid = decodeURIComponent(answer.headers?.['Location']?.split('/').at(-1) ?? '');
  const object = await writing.object(call.space.id, oid);
  if (object === undefined) return answer;
  const softType = service.behaviours.softTypeOf(service, call.space, object.softType);
  const view = service.behaviours.outputViewOf(service, softType, undefined);
  return { ...answer, body: await service.behaviours.assembleInstance(service, call, writing, object, view) };
});
