import type { Batch } from './mistake.ts';
import { accessMistakes } from './twenty-ninth/access.ts';
import { callMistakes, endpointMistakes, taskMistakes } from './twenty-ninth/calls.ts';
import { filesMistakes } from './twenty-ninth/files.ts';
import { readingMistakes } from './twenty-ninth/reading.ts';
import { registrationMistakes } from './twenty-ninth/registrations.ts';
import { manyMistakes, writingMistakes } from './twenty-ninth/writing.ts';

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const twentyNinth: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...registrationMistakes,
  ...endpointMistakes,
  ...callMistakes,
  ...taskMistakes,
};
