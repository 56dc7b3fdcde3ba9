import { accessMistakes } from './access.ts';
import { deliveryMistakes, metadataMistakes, payloadMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { readingMistakes } from './reading.ts';
import { editingMistakes, operationsMistakes } from './writing.ts';
import type { Batch } from '../mistake.ts';

/** Of sixty mistakes in sentences and circumstances that were drawn by lot, written by somebody who knew the documents and no check. */
export const fortyFourth: Batch = {
  ...readingMistakes,
  ...operationsMistakes,
  ...editingMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...deliveryMistakes,
  ...payloadMistakes,
  ...metadataMistakes,
};
