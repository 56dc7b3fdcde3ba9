import { accessMistakes } from './access.ts';
import { callsMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { manyMistakes } from './many.ts';
import { readingMistakes } from './reading.ts';
import { registeredMistakes } from './registered.ts';
import { writingMistakes } from './writing.ts';
import type { Batch } from '../mistake.ts';

/** Mistakes in sentences of both documents that were drawn by lot, each in one circumstance only, by somebody who knew no check. */
export const fortyNinth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...registeredMistakes,
};
