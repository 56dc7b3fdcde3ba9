import type { Batch } from './mistake.ts';
import { deliveryMistakes, endpointMistakes, keyMistakes } from './twenty-seventh/deliveries.ts';
import { bulkMistakes, filesMistakes } from './twenty-seventh/files.ts';
import { batchMistakes, multiCreateMistakes } from './twenty-seventh/many.ts';
import { payloadMistakes } from './twenty-seventh/payloads.ts';
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
  ...filesMistakes,
  ...bulkMistakes,
  ...deliveryMistakes,
  ...endpointMistakes,
  ...keyMistakes,
  ...payloadMistakes,
};
