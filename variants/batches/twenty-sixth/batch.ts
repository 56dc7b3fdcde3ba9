import type { Batch } from '../mistake.ts';
import { deliveryMistakes, payloadMistakes, taskMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { batchMistakes, multiCreateMistakes } from './many.ts';
import { readingMistakes } from './reading.ts';
import { metadataMistakes, registrationMistakes } from './registered.ts';
import { editingMistakes } from './writing.ts';

/** Mistakes about sentences of both documents that were drawn by lot. */
export const twentySixth: Batch = {
  ...readingMistakes,
  ...editingMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...filesMistakes,
  ...taskMistakes,
  ...payloadMistakes,
  ...deliveryMistakes,
  ...metadataMistakes,
  ...registrationMistakes,
};
