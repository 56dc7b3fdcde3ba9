import type { Batch } from './mistake.ts';
import { deliveryMistakes, keyMistakes, payloadMistakes } from './twenty-eighth/deliveries.ts';
import { bulkMistakes, filesMistakes } from './twenty-eighth/files.ts';
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
  ...filesMistakes,
  ...bulkMistakes,
  ...deliveryMistakes,
  ...keyMistakes,
  ...payloadMistakes,
};
