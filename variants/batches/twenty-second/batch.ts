import type { Batch } from '../mistake.ts';
import { callsMistakes, eventsMistakes } from './calls.ts';
import { batchMistakes, manyMistakes } from './many.ts';
import { pagingMistakes } from './reading.ts';
import { editingMistakes } from './writing.ts';

/** Sixty sentences that a seed drew from all of both documents, each broken as an independent service would get it wrong. */
export const twentySecond: Batch = {
  ...pagingMistakes,
  ...editingMistakes,
  ...batchMistakes,
  ...manyMistakes,
  ...callsMistakes,
  ...eventsMistakes,
};
