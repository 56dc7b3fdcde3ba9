import type { Batch } from '../mistake.ts';
import { callsMistakes, deliveryMistakes, keysMistakes } from './calls.ts';
import { cachingMistakes, filesMistakes, tasksMistakes } from './files.ts';
import { operationsMistakes, writingMistakes } from './objects.ts';

/**
 * Sixty mistakes of sentences that a lot was cast for, as the author of a service of another make would make them: a sentence misread, a branch
 * forgotten, a cache, a type taken for another, what one request knew told to the next.
 */
export const twentyFifth: Batch = {
  ...operationsMistakes,
  ...writingMistakes,
  ...cachingMistakes,
  ...filesMistakes,
  ...tasksMistakes,
  ...deliveryMistakes,
  ...callsMistakes,
  ...keysMistakes,
};
