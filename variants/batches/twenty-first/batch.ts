import type { Batch } from '../mistake.ts';
import { callsMistakes, tasksMistakes } from './calls.ts';
import { eventsMistakes } from './events.ts';
import { filesMistakes } from './files.ts';
import { batchMistakes } from './many.ts';
import { pagingMistakes } from './reading.ts';

/**
 * Mistakes in sixty sentences that were drawn from all sentences of both documents, by somebody who knew these and no check.
 * A fifth of them is about what comes second or last: the update of an update, the later page, the second retry.
 */
export const twentyFirst: Batch = {
  ...pagingMistakes,
  ...batchMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...eventsMistakes,
};
