import type { Batch } from '../mistake.ts';
import { deliveryMistakes, payloadMistakes, taskMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { batchMistakes, multiCreateMistakes } from './many.ts';
import { accessMistakes, readingMistakes } from './reading.ts';
import { metadataMistakes, registrationMistakes } from './registered.ts';
import { editingMistakes, maturityMistakes } from './writing.ts';

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
