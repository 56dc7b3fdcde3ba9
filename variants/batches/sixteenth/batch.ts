import type { Batch } from '../mistake.ts';
import { callsMistakes } from './calls.ts';
import { deliveryMistakes } from './delivery.ts';
import { filesMistakes } from './files.ts';
import { manyMistakes } from './many.ts';
import { readingMistakes } from './reading.ts';
import { writingMistakes } from './writing.ts';

/**
 * Mistakes, one for each of sixty-one sentences that were drawn from both documents by lot: half of them such that what the documents show
 * as an example still looks right.
 */
export const sixteenth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...deliveryMistakes,
};
