import { actionAnswer, batchResults, errorBody, successBody } from './action.ts';
import { emailAnswer } from './email.ts';
import { baseAddressOf, eventAnswer, tokenOf, workOnEvent } from './event.ts';
import { startWork } from './start-work.ts';
import { isValid, validationAnswer, validationBody } from './validation.ts';

export const callsBehaviours = {
  startWork,
  eventAnswer,
  workOnEvent,
  tokenOf,
  baseAddressOf,
  emailAnswer,
  validationAnswer,
  validationBody,
  isValid,
  actionAnswer,
  successBody,
  errorBody,
  batchResults,
};
