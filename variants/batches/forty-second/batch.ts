import { callsMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { manyMistakes } from './many.ts';
import { readingMistakes } from './reading.ts';
import { writingMistakes } from './writing.ts';
import type { Batch } from '../mistake.ts';

/** Drawn by lot: sixty sentences of both documents, each broken in a circumstance that was drawn too, by somebody who had seen no check. */
export const fortySecond: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...callsMistakes,
};
