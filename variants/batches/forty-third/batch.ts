import type { Batch } from '../mistake.ts';
import { batchMistakes } from './batches.ts';
import { callMistakes } from './calls.ts';
import { fileMistakes } from './files.ts';
import { readingMistakes } from './reading.ts';
import { registeredMistakes } from './registered.ts';
import { writingMistakes } from './writing.ts';

/** Drawn by lot: sixty sentences of both documents, each broken in the circumstance that a second lot says, by somebody who had not seen a check. */
export const fortyThird: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...batchMistakes,
  ...fileMistakes,
  ...callMistakes,
  ...registeredMistakes,
};
