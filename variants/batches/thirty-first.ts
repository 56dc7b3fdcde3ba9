import type { Batch } from './mistake.ts';
import { callMistakes, registrationMistakes, retryMistakes, taskMistakes } from './thirty-first/deliveries.ts';
import { filesMistakes } from './thirty-first/files.ts';
import { readingMistakes } from './thirty-first/reading.ts';
import { batchMistakes, editingMistakes, versionMistakes } from './thirty-first/writing.ts';

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const thirtyFirst: Batch = {
  ...readingMistakes,
  ...versionMistakes,
  ...editingMistakes,
  ...batchMistakes,
  ...callMistakes,
  ...retryMistakes,
  ...registrationMistakes,
  ...taskMistakes,
  ...filesMistakes,
};
