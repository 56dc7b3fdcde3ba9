import type { Batch } from '../mistake.ts';
import { callsMistakes, tasksMistakes } from './calls.ts';
import { eventsMistakes } from './events.ts';
import { filesMistakes } from './files.ts';
import { batchMistakes, maturityMistakes, multiCreateMistakes } from './many.ts';
import { cachingMistakes, pagingMistakes, readingMistakes } from './reading.ts';
import { accessMistakes, operationsMistakes } from './writing.ts';

/**
 * Mistakes in sixty sentences that were drawn from all sentences of both documents, by somebody who knew these and no check.
 * A fifth of them is about what comes second or last: the update of an update, the later page, the second retry.
 */
export const twentyFirst: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...cachingMistakes,
  ...operationsMistakes,
  ...accessMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...maturityMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...eventsMistakes,
};
