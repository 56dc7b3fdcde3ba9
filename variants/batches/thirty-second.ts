import type { Batch } from './mistake.ts';
import { accessMistakes } from './thirty-second/access.ts';
import { callMistakes } from './thirty-second/calls.ts';
import { filesMistakes } from './thirty-second/files.ts';
import { readingMistakes } from './thirty-second/reading.ts';
import { taskMistakes } from './thirty-second/tasks.ts';
import { writingMistakes } from './thirty-second/writing.ts';

/** Mistakes in sentences that were drawn by lot, each in a circumstance that was drawn as well, written by somebody who knew no check. */
export const thirtySecond: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...writingMistakes,
  ...filesMistakes,
  ...callMistakes,
  ...taskMistakes,
};
