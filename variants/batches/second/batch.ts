import type { Batch } from '../mistake.ts';
import { accessMistakes, cachingMistakes } from './access.ts';
import {
  callsMistakes,
  deliveryMistakes,
  endpointsMistakes,
  keysMistakes,
  metadataMistakes,
  tasksMistakes,
} from './calls.ts';
import { bulkMistakes, filesMistakes } from './files.ts';
import { batchMistakes, multiCreateMistakes } from './many.ts';
import { operationsMistakes } from './operations.ts';
import { pagingMistakes, readingMistakes } from './reading.ts';
import { editingMistakes, versioningMistakes } from './writing.ts';

/** Sixty more mistakes, written as the first were, by somebody who knew those as little as the checks. */
export const second: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...editingMistakes,
  ...versioningMistakes,
  ...operationsMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...accessMistakes,
  ...cachingMistakes,
  ...filesMistakes,
  ...bulkMistakes,
  ...metadataMistakes,
  ...deliveryMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...endpointsMistakes,
  ...keysMistakes,
};
