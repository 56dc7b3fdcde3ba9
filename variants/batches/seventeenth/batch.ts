import type { Batch } from '../mistake.ts';
import { callsMistakes, keysMistakes, tasksMistakes, validationMistakes } from './calls.ts';
import { deliveryMistakes } from './delivery.ts';
import { filesMistakes } from './files.ts';
import { multiCreateMistakes } from './many.ts';
import { pagingMistakes, readingMistakes } from './reading.ts';
import { editingMistakes, operationsMistakes } from './writing.ts';

/** Sentences of both documents that a lot has drawn, each broken as the author of an independent service would get it wrong. */
export const seventeenth: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...editingMistakes,
  ...operationsMistakes,
  ...multiCreateMistakes,
  ...filesMistakes,
  ...deliveryMistakes,
  ...callsMistakes,
  ...validationMistakes,
  ...tasksMistakes,
  ...keysMistakes,
};
