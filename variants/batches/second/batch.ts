import type { Batch } from '../mistake.ts';
import { accessMistakes } from './access.ts';
import { callsMistakes, deliveryMistakes, endpointsMistakes } from './calls.ts';
import { batchMistakes, multiCreateMistakes } from './many.ts';
import { readingMistakes } from './reading.ts';

/** Of sixty more mistakes, written as the first were, by somebody who knew those as little as the checks. */
export const second: Batch = {
  ...readingMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...accessMistakes,
  ...deliveryMistakes,
  ...callsMistakes,
  ...endpointsMistakes,
};
