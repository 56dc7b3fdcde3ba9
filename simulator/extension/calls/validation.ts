import type { Step } from '../step.ts';
import type { WorkingHost } from '../working-host.ts';
import type { Call } from './call.ts';

/** How the id of an object begins that is found invalid here. */
const invalidPrefix = 'invalid-';

/** Source: extensions, Calls to extensions, ExternalValidation; Errors 5 */
export function validationAnswer(host: WorkingHost, { payload }: Call): Step {
  const { objectId } = payload;
  if (typeof objectId !== 'string')
    return { status: 400, json: { message: 'Expected "objectId" in the payload, a string.' } };
  return { status: 200, json: host.behaviours.validationBody(objectId, host.behaviours.isValid(objectId)) };
}

export function isValid(objectId: string): boolean {
  return !objectId.startsWith(invalidPrefix);
}

export function validationBody(objectId: string, isValid: boolean): object {
  return { isValid, message: isValid ? '' : `${objectId} is not valid here: its id begins with ${invalidPrefix}` };
}
