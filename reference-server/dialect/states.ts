import { replacing, together, type Fault } from '../faults/fault.ts';
import { Refusal } from '../problem.ts';
import { storedStates } from '../soft-type/current-state.ts';
import { restated, restating } from './choice.ts';

/** 200 with the state of things; promote, for which the document has a status, keeps it. */
export const demotedWithBody: Fault = replacing('demoteObject', (right) => async (service, call, writing) => ({
  ...(await right(service, call, writing)),
  status: 200,
  body: { outcome: 'demoted', links: null },
}));

/** Where a level ends, the state is in conflict with the move. */
export const endsInConflict: Fault = together(
  replacing(
    'promoteObject',
    (right) =>
      (...args) =>
        right(...args).catch(restated({ 422: 409 })),
  ),
  replacing(
    'demoteObject',
    (right) =>
      (...args) =>
        right(...args).catch(restated({ 422: 409 })),
  ),
);

/** A process or level that is unknown is a bad request. */
export const unknownLevels: Fault = replacing(
  'levelOf',
  (right) =>
    (...args) =>
      restating({ 404: 400 }, () => right(...args)),
);

/** Promote takes no body, and says so. */
export const noBodyForPromote: Fault = replacing('promoteObject', (right) => async (service, call, writing) => {
  if (call.body !== undefined && call.body.length > 0) throw new Refusal(400, 'A promote takes no body.');
  return right(service, call, writing);
});

/** What has come to the end of a level is not edited any more; to lock it, or to move it, is no edit. */
export const closedAtTheEnd: Fault = replacing('assertVersion', (right) => (service, call, object) => {
  const version = right(service, call, object);
  if (!call.url.includes('/softtype/')) return version;
  const softTypes = service.configuration.spaces.get(object.spaceId)?.template.softTypes;
  const maturity = softTypes?.get(object.softType)?.maturity;
  const atEnd = ([level, { state }]: readonly [string, { readonly state: string }]) =>
    maturity?.levels.get(level)?.at(-1) === state;
  if (Object.entries(storedStates(object)).some(atEnd))
    throw new Refusal(423, 'The state of the object takes no edits.');
  return version;
});

/** A lock that is taken is a thing that was made, and one that is freed comes back with a body. */
export const locksWithBody: Fault = together(
  replacing('lockObject', (right) => async (service, call, writing) => {
    const answer = await right(service, call, writing);
    const headers = { ...answer.headers, Location: call.url };
    return { ...answer, status: 201, headers, body: { lock: call.params.objectId, until: null } };
  }),
  replacing('unlockObject', (right) => async (service, call, writing) => ({
    ...(await right(service, call, writing)),
    status: 200,
    body: { lock: null },
  })),
);

/** Who meets the lock of somebody else may not write. */
export const lockedOutIsForbidden: Fault = replacing(
  'assertUnlocked',
  (right) =>
    (...args) =>
      restating({ 423: 409 }, () => right(...args)),
);
