import type { Batch } from '../mistake.ts';
import { callsMistakes, eventsMistakes, tasksMistakes } from './calls.ts';
import { bulkMistakes, filesMistakes } from './files.ts';
import { accessMistakes, batchMistakes, manyMistakes } from './many.ts';
import { cachingMistakes, pagingMistakes, readingMistakes } from './reading.ts';
import { editingMistakes, operationsMistakes } from './writing.ts';

/** Sixty sentences that a seed drew from all of both documents, each broken as an independent service would get it wrong. */
export const twentySecond: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...cachingMistakes,
  ...editingMistakes,
  ...operationsMistakes,
  ...batchMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...bulkMistakes,
  ...callsMistakes,
  ...eventsMistakes,
  ...tasksMistakes,
};
