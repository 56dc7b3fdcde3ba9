import { accessMistakes } from './access.ts';
import { callsMistakes, tasksMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { manyMistakes } from './many.ts';
import { readingMistakes } from './reading.ts';
import { registeredMistakes } from './registered.ts';
import { operationsMistakes, writingMistakes } from './writing.ts';
import type { Batch } from '../mistake.ts';

/** Of sixty mistakes in sentences that were drawn by lot from every section, written by somebody who knew the documents and no check. */
export const fortySeventh: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...operationsMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...registeredMistakes,
};
