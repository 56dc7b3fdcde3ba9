import type { Batch } from '../mistake.ts';
import { callsMistakes, deliveryMistakes } from './calls.ts';
import { tasksMistakes } from './files.ts';
import { accessMistakes, manyMistakes } from './many.ts';
import { pagingMistakes, readingMistakes, writingMistakes } from './objects.ts';

/**
 * Sixty mistakes of sentences that a lot was cast for: all sentences and table rows of both documents were numbered, and drawn one after the
 * other; what cannot be seen from outside and what the documents leave open was drawn again. Most look for what is true the second time.
 */
export const twentieth: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...tasksMistakes,
  ...deliveryMistakes,
  ...callsMistakes,
};
