import { callsMistakes, tasksMistakes } from './calls.ts';
import { deliveryMistakes } from './delivery.ts';
import { multiCreateMistakes, maturityMistakes } from './many.ts';
import { accessMistakes, readingMistakes } from './reading.ts';
import { editingMistakes, operationsMistakes } from './writing.ts';
import type { Batch } from '../mistake.ts';

/** What a team does that follows the documents for the first time, sentence by sentence, in a hurry and with ideas of its own. */
export const fourteenth: Batch = {
  ...readingMistakes,
  ...editingMistakes,
  ...operationsMistakes,
  ...multiCreateMistakes,
  ...maturityMistakes,
  ...accessMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...deliveryMistakes,
};
