import type { Batch } from '../mistake.ts';
import { accessMistakes } from './access.ts';
import { batchMistakes, multiCreateMistakes } from './many.ts';
import { callsMistakes, deliveryMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { readingMistakes } from './reading.ts';
import { registeredMistakes } from './registered.ts';
import { writingMistakes } from './writing.ts';

/** Sixty mistakes in sentences that were drawn by lot from both documents, many of them in what is true the second time only. */
export const twentyThird: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...registeredMistakes,
  ...deliveryMistakes,
  ...callsMistakes,
};
