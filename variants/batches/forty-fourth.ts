import { accessMistakes } from './forty-fourth/access.ts';
import { deliveryMistakes, metadataMistakes, payloadMistakes } from './forty-fourth/calls.ts';
import { filesMistakes } from './forty-fourth/files.ts';
import { readingMistakes } from './forty-fourth/reading.ts';
import { editingMistakes, operationsMistakes } from './forty-fourth/writing.ts';
import type { Batch } from './mistake.ts';

/** Sixty mistakes in sentences and circumstances that were drawn by lot, written by somebody who knew the documents and no check. */
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
