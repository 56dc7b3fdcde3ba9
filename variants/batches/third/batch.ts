import type { Batch } from '../mistake.ts';
import { accessMistakes, cachingMistakes } from './access.ts';
import { callsMistakes, deliveryMistakes, endpointsMistakes, metadataMistakes } from './calls.ts';
import { bulkMistakes, filesMistakes } from './files.ts';
import { batchMistakes, multiCreateMistakes } from './many.ts';
import { readingMistakes } from './reading.ts';
import { editingMistakes, operationsMistakes, versioningMistakes } from './writing.ts';

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
