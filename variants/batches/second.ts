import type { Batch } from './mistake.ts';
import { accessMistakes, cachingMistakes } from './second/access.ts';
import {
  callsMistakes,
  deliveryMistakes,
  endpointsMistakes,
  keysMistakes,
  metadataMistakes,
  tasksMistakes,
} from './second/calls.ts';
import { bulkMistakes, filesMistakes } from './second/files.ts';
import { batchMistakes, multiCreateMistakes } from './second/many.ts';
import { operationsMistakes } from './second/operations.ts';
import { pagingMistakes, readingMistakes } from './second/reading.ts';
import { editingMistakes, versioningMistakes } from './second/writing.ts';

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
