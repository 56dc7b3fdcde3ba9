import type { Batch } from '../mistake.ts';
import { callMistakes, retryMistakes, validationMistakes } from './deliveries.ts';
import { filesMistakes, keyMistakes } from './files.ts';
import { accessMistakes, cachingMistakes, pagingMistakes, readingMistakes } from './reading.ts';
import { taskMistakes } from './tasks.ts';
import { batchMistakes, multiCreateMistakes, versionMistakes } from './writing.ts';

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const thirtieth: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...cachingMistakes,
  ...accessMistakes,
  ...versionMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...filesMistakes,
  ...keyMistakes,
  ...retryMistakes,
  ...callMistakes,
  ...validationMistakes,
  ...taskMistakes,
};
