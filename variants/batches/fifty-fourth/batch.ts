import type { Batch } from '../mistake.ts';
import { accessMistakes } from './access.ts';
import { callsMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { readingMistakes } from './reading.ts';
import { tasksMistakes } from './tasks.ts';
import { writingMistakes } from './writing.ts';

/** Sixty mistakes, ten of each kind, in sentences that were drawn by lot from both documents, by somebody who knew no check. */
export const fiftyFourth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
};
