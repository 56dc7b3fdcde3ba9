import type { Batch } from '../mistake.ts';
import { deliveryMistakes, payloadMistakes } from './deliveries.ts';
import { filesMistakes } from './files.ts';
import { accessMistakes, readingMistakes } from './reading.ts';
import { editingMistakes, manyMistakes, maturityMistakes, operationsMistakes } from './writing.ts';

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const twentyEighth: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...operationsMistakes,
  ...editingMistakes,
  ...maturityMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...deliveryMistakes,
  ...payloadMistakes,
};
