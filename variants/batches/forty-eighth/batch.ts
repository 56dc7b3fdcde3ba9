import { accessMistakes } from './access.ts';
import { callsMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { manyMistakes } from './many.ts';
import { readingMistakes } from './reading.ts';
import { registeredMistakes } from './registered.ts';
import { tasksMistakes } from './tasks.ts';
import { writingMistakes } from './writing.ts';
import type { Batch } from '../mistake.ts';

/** Of thirty mistakes in sentences that were drawn by lot, and thirty as the issue tracker of a service shows them after two years, by somebody who knew no check. */
export const fortyEighth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...registeredMistakes,
};
