import type { Batch } from './mistake.ts';
import { accessMistakes } from './twenty-third/access.ts';
import { batchMistakes, multiCreateMistakes } from './twenty-third/many.ts';
import { callsMistakes, deliveryMistakes } from './twenty-third/calls.ts';
import { filesMistakes } from './twenty-third/files.ts';
import { readingMistakes } from './twenty-third/reading.ts';
import { registeredMistakes } from './twenty-third/registered.ts';
import { writingMistakes } from './twenty-third/writing.ts';

/** Sixty mistakes in sentences that were drawn by lot from both documents, many of them in what is true the second time only. */
export const twentyThird: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...registeredMistakes,
  ...deliveryMistakes,
  ...callsMistakes,
};
