import type { Batch } from '../mistake.ts';
import { accessMistakes } from './access.ts';
import { callsMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { readingMistakes } from './reading.ts';
import { tasksMistakes } from './tasks.ts';
import { writingMistakes } from './writing.ts';

/** Drawn by lot: sixty sentences of both documents, each broken where a second lot says, by somebody who had not seen a check. */
export const thirtySeventh: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...tasksMistakes,
  ...callsMistakes,
};
