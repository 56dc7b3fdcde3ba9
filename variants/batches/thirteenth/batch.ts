import type { Batch } from '../mistake.ts';
import { callsMistakes, endpointMistakes, metadataMistakes, tasksMistakes, validationMistakes } from './calls.ts';
import { deliveryMistakes } from './deliveries.ts';
import { bulkMistakes, filesMistakes } from './files.ts';
import { accessMistakes, batchMistakes, cachingMistakes, multiCreateMistakes } from './many.ts';
import { pagingMistakes, readingMistakes } from './reading.ts';
import { editingMistakes, operationsMistakes, versioningMistakes } from './writing.ts';

/** What a team does to its service in the second year: caches, migrations, pools, retries, clean-ups, a second node. */
export const thirteenth: Batch = {
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
  ...endpointMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...validationMistakes,
  ...metadataMistakes,
  ...deliveryMistakes,
};
