import type { Batch } from './mistake.ts';
import { batchMistakes } from './forty-third/batches.ts';
import { callMistakes } from './forty-third/calls.ts';
import { fileMistakes } from './forty-third/files.ts';
import { readingMistakes } from './forty-third/reading.ts';
import { registeredMistakes } from './forty-third/registered.ts';
import { writingMistakes } from './forty-third/writing.ts';

/** Drawn by lot: sixty sentences of both documents, each broken in the circumstance that a second lot says, by somebody who had not seen a check. */
export const fortyThird: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...batchMistakes,
  ...fileMistakes,
  ...callMistakes,
  ...registeredMistakes,
};
