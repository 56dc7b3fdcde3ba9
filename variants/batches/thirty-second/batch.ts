import type { Batch } from '../mistake.ts';
import { accessMistakes } from './access.ts';
import { callMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { readingMistakes } from './reading.ts';
import { taskMistakes } from './tasks.ts';
import { writingMistakes } from './writing.ts';

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const thirtySecond: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...writingMistakes,
  ...filesMistakes,
  ...callMistakes,
  ...taskMistakes,
};
