import type { Batch } from '../mistake.ts';
import { accessMistakes } from './access.ts';
import { callsMistakes } from './calls.ts';
import { deliveryMistakes } from './delivery.ts';
import { filesMistakes, tasksMistakes } from './files.ts';
import { readingMistakes } from './reading.ts';
import { writingMistakes } from './writing.ts';

/** Drawn by lot under another seed: sixty sentences, each broken under a circumstance drawn as well, by somebody who had not seen a check. */
export const thirtyEighth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...tasksMistakes,
  ...callsMistakes,
  ...deliveryMistakes,
};
