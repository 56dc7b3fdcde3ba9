import { callsMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { manyMistakes } from './many.ts';
import { readingMistakes } from './reading.ts';
import { registeredMistakes } from './registered.ts';
import { tasksMistakes } from './tasks.ts';
import { writingMistakes } from './writing.ts';
import type { Batch } from '../mistake.ts';

/** Sixty mistakes that show where two ordinary things meet, in sentences that were drawn by lot from both documents, by somebody who knew no check. */
export const fiftySecond: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...registeredMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
};
