import type { Batch } from '../mistake.ts';
import { accessMistakes } from './access.ts';
import { multiCreateMistakes } from './many.ts';
import { deliveryMistakes } from './calls.ts';
import { readingMistakes } from './reading.ts';
import { registeredMistakes } from './registered.ts';
import { writingMistakes } from './writing.ts';

/** Of sixty mistakes in sentences that were drawn by lot from both documents, many of them in what is true the second time only. */
export const twentyThird: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...multiCreateMistakes,
  ...accessMistakes,
  ...registeredMistakes,
  ...deliveryMistakes,
};
