import type { Batch } from './mistake.ts';
import { callMistakes, retryMistakes, validationMistakes } from './thirtieth/deliveries.ts';
import { filesMistakes, keyMistakes } from './thirtieth/files.ts';
import { accessMistakes, cachingMistakes, pagingMistakes, readingMistakes } from './thirtieth/reading.ts';
import { taskMistakes } from './thirtieth/tasks.ts';
import { batchMistakes, multiCreateMistakes, operationsMistakes, versionMistakes } from './thirtieth/writing.ts';

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const thirtieth: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...cachingMistakes,
  ...accessMistakes,
  ...versionMistakes,
  ...operationsMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...filesMistakes,
  ...keyMistakes,
  ...retryMistakes,
  ...callMistakes,
  ...validationMistakes,
  ...taskMistakes,
};
