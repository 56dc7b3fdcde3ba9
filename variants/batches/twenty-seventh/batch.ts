import type { Batch } from '../mistake.ts';
import { deliveryMistakes, keyMistakes } from './deliveries.ts';
import { bulkMistakes, filesMistakes } from './files.ts';
import { batchMistakes, multiCreateMistakes } from './many.ts';
import { payloadMistakes } from './payloads.ts';
import { accessMistakes, readingMistakes } from './reading.ts';
import { editingMistakes, operationsMistakes } from './writing.ts';

/** Of sixty mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const twentySeventh: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...editingMistakes,
  ...operationsMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...filesMistakes,
  ...bulkMistakes,
  ...deliveryMistakes,
  ...keyMistakes,
  ...payloadMistakes,
};
