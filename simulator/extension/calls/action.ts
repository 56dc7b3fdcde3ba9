import { actionResult } from '../default-answer.ts';
import type { Step } from '../step.ts';
import type { WorkingHost } from '../working-host.ts';
import type { Call } from './call.ts';

/** How the id of the selected object begins on which an action fails here. */
const failingPrefix = 'failing-';

/** One result, an array of them for a batch, or the errors. Source: extensions, Errors 4 */
export function actionAnswer({ behaviours }: WorkingHost, { payload }: Call): Step {
  const { objectId } = payload;
  if (typeof objectId === 'string' && objectId.startsWith(failingPrefix))
    return {
      status: 500,
      json: behaviours.errorBody(`${objectId} cannot be changed here: its id begins with ${failingPrefix}`),
    };
  const result = actionResult(payload);
  return {
    status: 200,
    json: Array.isArray(result) ? behaviours.batchResults(result) : behaviours.successBody(result),
  };
}

export function errorBody(message: string): object {
  return { errors: [{ message }] };
}

export function successBody(result: object): object {
  return result;
}

/** Results of the operations, in their order. */
export function batchResults(results: readonly object[]): unknown {
  return results;
}
