import type { Batch } from './mistake.ts';
import { accessMistakes, readingMistakes } from './twenty-eighth/reading.ts';
import { editingMistakes, manyMistakes, maturityMistakes, operationsMistakes } from './twenty-eighth/writing.ts';

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const twentyEighth: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...operationsMistakes,
  ...editingMistakes,
  ...maturityMistakes,
  ...manyMistakes,
};
