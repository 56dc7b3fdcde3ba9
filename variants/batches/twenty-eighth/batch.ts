import type { Batch } from '../mistake.ts';
import { deliveryMistakes, keyMistakes, payloadMistakes } from './deliveries.ts';
import { bulkMistakes, filesMistakes } from './files.ts';
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
  ...bulkMistakes,
  ...deliveryMistakes,
  ...keyMistakes,
  ...payloadMistakes,
};
