import { calledMistakes, deliveredMistakes, recordMistakes, taskMistakes } from './calls.ts';
import { fileMistakes, sourceMistakes } from './files.ts';
import { accessedMistakes, batchedMistakes, itemMistakes } from './many.ts';
import { pageMistakes, readMistakes, sharedMistakes } from './reading.ts';
import { operationMistakes, writtenMistakes } from './writing.ts';
import type { Batch } from '../mistake.ts';

/** Of sixty mistakes about bounds and kinds: the tenth and the eleventh, nothing and empty, what is large, old or comes twice, and the second of two alike. */
export const fifteenth: Batch = {
  ...readMistakes,
  ...pageMistakes,
  ...sharedMistakes,
  ...writtenMistakes,
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
