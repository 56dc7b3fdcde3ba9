import { calledMistakes, deliveredMistakes, recordMistakes, taskMistakes } from './fifteenth/calls.ts';
import { fileMistakes, sourceMistakes } from './fifteenth/files.ts';
import { accessedMistakes, batchedMistakes, itemMistakes } from './fifteenth/many.ts';
import { pageMistakes, readMistakes, sharedMistakes } from './fifteenth/reading.ts';
import { comparedMistakes, operationMistakes, writtenMistakes } from './fifteenth/writing.ts';
import type { Batch } from './mistake.ts';

/** Sixty mistakes about bounds and kinds: the tenth and the eleventh, nothing and empty, what is large, old or comes twice, and the second of two alike. */
export const fifteenth: Batch = {
  ...readMistakes,
  ...pageMistakes,
  ...sharedMistakes,
  ...writtenMistakes,
  ...comparedMistakes,
  ...operationMistakes,
  ...batchedMistakes,
  ...itemMistakes,
  ...accessedMistakes,
  ...fileMistakes,
  ...sourceMistakes,
  ...deliveredMistakes,
  ...calledMistakes,
  ...taskMistakes,
  ...recordMistakes,
};
