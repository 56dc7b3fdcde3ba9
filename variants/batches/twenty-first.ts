import type { Batch } from './mistake.ts';
import { callsMistakes, tasksMistakes } from './twenty-first/calls.ts';
import { eventsMistakes } from './twenty-first/events.ts';
import { filesMistakes } from './twenty-first/files.ts';
import { batchMistakes, maturityMistakes, multiCreateMistakes } from './twenty-first/many.ts';
import { cachingMistakes, pagingMistakes, readingMistakes } from './twenty-first/reading.ts';
import { accessMistakes, operationsMistakes } from './twenty-first/writing.ts';

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
