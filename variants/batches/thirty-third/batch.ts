import type { Batch } from '../mistake.ts';
import { callMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { readingMistakes } from './reading.ts';
import { writingMistakes } from './writing.ts';

/** Of sixty mistakes by lot: a sentence of the documents and a circumstance each, drawn with the seed 33. */
export const thirtyThird: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...filesMistakes,
  ...callMistakes,
};
