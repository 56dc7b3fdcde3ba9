import { accessMistakes } from './access.ts';
import { callsMistakes, payloadMistakes } from './calls.ts';
import { bulkMistakes, uploadMistakes } from './files.ts';
import { manyMistakes } from './many.ts';
import { readingMistakes } from './reading.ts';
import { registeredMistakes } from './registered.ts';
import { writingMistakes } from './writing.ts';
import type { Batch } from '../mistake.ts';

/** Of sixty mistakes in sentences that were drawn by lot from every section, written by somebody who knew the documents and no check. */
export const fortySixth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...bulkMistakes,
  ...uploadMistakes,
  ...callsMistakes,
  ...payloadMistakes,
  ...registeredMistakes,
};
