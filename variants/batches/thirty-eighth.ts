import type { Batch } from './mistake.ts';
import { accessMistakes } from './thirty-eighth/access.ts';
import { callsMistakes } from './thirty-eighth/calls.ts';
import { deliveryMistakes } from './thirty-eighth/delivery.ts';
import { filesMistakes, tasksMistakes } from './thirty-eighth/files.ts';
import { readingMistakes } from './thirty-eighth/reading.ts';
import { writingMistakes } from './thirty-eighth/writing.ts';

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
