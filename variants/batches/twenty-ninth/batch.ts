import type { Batch } from '../mistake.ts';
import { accessMistakes } from './access.ts';
import { callMistakes, endpointMistakes, taskMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { readingMistakes } from './reading.ts';
import { registrationMistakes } from './registrations.ts';
import { manyMistakes } from './writing.ts';

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const twentyNinth: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...registrationMistakes,
  ...endpointMistakes,
  ...callMistakes,
  ...taskMistakes,
};
