import type { Batch } from '../mistake.ts';
import { callMistakes, retryMistakes, taskMistakes } from './deliveries.ts';
import { filesMistakes } from './files.ts';
import { readingMistakes } from './reading.ts';
import { batchMistakes, editingMistakes, versionMistakes } from './writing.ts';

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const thirtyFirst: Batch = {
  ...readingMistakes,
  ...versionMistakes,
  ...editingMistakes,
  ...batchMistakes,
  ...callMistakes,
  ...retryMistakes,
  ...taskMistakes,
  ...filesMistakes,
};
