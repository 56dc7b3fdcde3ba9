import { callsBehaviours } from './calls/calls.ts';
import { keysBehaviours } from './keys/acquire.ts';
import { announcedRecords, metadataAnswer } from './metadata/answer.ts';
import { isAdmitted } from './signing/admission.ts';
import { tasksBehaviours } from './task/tasks.ts';

/** Everything the host does, by name. A fault is a function from this record to one with something replaced. */
export const behaviours = {
  isAdmitted,
  announcedRecords,
  metadataAnswer,
  ...callsBehaviours,
  ...tasksBehaviours,
  ...keysBehaviours,
};

export type Behaviours = typeof behaviours;
