import type { Batch } from './mistake.ts';
import { accessMistakes, cachingMistakes } from './third/access.ts';
import { callsMistakes, deliveryMistakes, endpointsMistakes, metadataMistakes } from './third/calls.ts';
import { bulkMistakes, filesMistakes } from './third/files.ts';
import { batchMistakes, multiCreateMistakes } from './third/many.ts';
import { readingMistakes } from './third/reading.ts';
import { editingMistakes, operationsMistakes, versioningMistakes } from './third/writing.ts';

/** Mistakes by somebody who had read the documents and none of the checks. */
export const third: Batch = {
  ...readingMistakes,
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
  ...endpointsMistakes,
};
