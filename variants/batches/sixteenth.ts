import type { Batch } from './mistake.ts';
import { callsMistakes } from './sixteenth/calls.ts';
import { deliveryMistakes, keysMistakes, validationMistakes } from './sixteenth/delivery.ts';
import { filesMistakes } from './sixteenth/files.ts';
import { manyMistakes } from './sixteenth/many.ts';
import { readingMistakes } from './sixteenth/reading.ts';
import { writingMistakes } from './sixteenth/writing.ts';

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
  ...validationMistakes,
  ...keysMistakes,
  ...deliveryMistakes,
};
