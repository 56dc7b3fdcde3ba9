import { callsMistakes, tasksMistakes } from './fourteenth/calls.ts';
import { deliveryMistakes } from './fourteenth/delivery.ts';
import { filesMistakes } from './fourteenth/files.ts';
import { batchMistakes, multiCreateMistakes, maturityMistakes } from './fourteenth/many.ts';
import { accessMistakes, readingMistakes } from './fourteenth/reading.ts';
import { editingMistakes, operationsMistakes } from './fourteenth/writing.ts';
import type { Batch } from './mistake.ts';

/** What a team does that follows the documents for the first time, sentence by sentence, in a hurry and with ideas of its own. */
export const fourteenth: Batch = {
  ...readingMistakes,
  ...editingMistakes,
  ...operationsMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...maturityMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...deliveryMistakes,
};
