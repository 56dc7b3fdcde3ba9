import type { Batch } from '../mistake.ts';
import { accessMistakes } from './access.ts';
import { filesMistakes } from './files.ts';
import { manyMistakes } from './many.ts';
import { readingMistakes } from './reading.ts';
import { writingMistakes } from './writing.ts';

/** Drawn by lot: sixty sentences of both documents, each broken where a second lot says, by somebody who had not seen a check. */
export const thirtySixth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
};
