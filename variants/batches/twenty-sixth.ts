import type { Batch } from './mistake.ts';
import { deliveryMistakes, payloadMistakes, taskMistakes } from './twenty-sixth/calls.ts';
import { filesMistakes } from './twenty-sixth/files.ts';
import { batchMistakes, multiCreateMistakes } from './twenty-sixth/many.ts';
import { accessMistakes, readingMistakes } from './twenty-sixth/reading.ts';
import { metadataMistakes, registrationMistakes } from './twenty-sixth/registered.ts';
import { editingMistakes, maturityMistakes } from './twenty-sixth/writing.ts';

/** Mistakes about sentences of both documents that were drawn by lot. */
export const twentySixth: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...editingMistakes,
  ...maturityMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...filesMistakes,
  ...taskMistakes,
  ...payloadMistakes,
  ...deliveryMistakes,
  ...metadataMistakes,
  ...registrationMistakes,
};
