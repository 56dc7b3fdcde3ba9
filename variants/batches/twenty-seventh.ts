import type { Batch } from './mistake.ts';
import { batchMistakes, multiCreateMistakes } from './twenty-seventh/many.ts';
import { accessMistakes, readingMistakes } from './twenty-seventh/reading.ts';
import { editingMistakes, operationsMistakes } from './twenty-seventh/writing.ts';

/** Sixty mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const twentySeventh: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...editingMistakes,
  ...operationsMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
};
