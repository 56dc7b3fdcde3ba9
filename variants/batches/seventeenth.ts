import type { Batch } from './mistake.ts';
import { callsMistakes, keysMistakes, tasksMistakes, validationMistakes } from './seventeenth/calls.ts';
import { deliveryMistakes } from './seventeenth/delivery.ts';
import { bulkMistakes, filesMistakes } from './seventeenth/files.ts';
import { batchMistakes, multiCreateMistakes } from './seventeenth/many.ts';
import { pagingMistakes, readingMistakes } from './seventeenth/reading.ts';
import { editingMistakes, operationsMistakes } from './seventeenth/writing.ts';

/** Sentences of both documents that a lot has drawn, each broken as the author of an independent service would get it wrong. */
export const seventeenth: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...editingMistakes,
  ...operationsMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...filesMistakes,
  ...bulkMistakes,
  ...deliveryMistakes,
  ...callsMistakes,
  ...validationMistakes,
  ...tasksMistakes,
  ...keysMistakes,
};
