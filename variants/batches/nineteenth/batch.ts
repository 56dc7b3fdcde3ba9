import type { Batch } from '../mistake.ts';
import { callsMistakes, deliveryMistakes } from './calls.ts';
import { bulkMistakes, filesMistakes } from './files.ts';
import { batchMistakes } from './many.ts';
import { filterMistakes, readingMistakes } from './reading.ts';
import { operationsMistakes, writingMistakes } from './writing.ts';

/** Sixty sentences of both documents, drawn by lot, each broken as the author of a service of his own would get it wrong. */
export const nineteenth: Batch = {
  ...readingMistakes,
  ...filterMistakes,
  ...writingMistakes,
  ...operationsMistakes,
  ...batchMistakes,
  ...filesMistakes,
  ...bulkMistakes,
  ...callsMistakes,
  ...deliveryMistakes,
};
