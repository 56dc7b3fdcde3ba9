import type { Batch } from './mistake.ts';
import {
  callsMistakes,
  endpointMistakes,
  metadataMistakes,
  tasksMistakes,
  validationMistakes,
} from './thirteenth/calls.ts';
import { deliveryMistakes } from './thirteenth/deliveries.ts';
import { bulkMistakes, filesMistakes } from './thirteenth/files.ts';
import { accessMistakes, batchMistakes, cachingMistakes, multiCreateMistakes } from './thirteenth/many.ts';
import { pagingMistakes, readingMistakes } from './thirteenth/reading.ts';
import { editingMistakes, operationsMistakes, versioningMistakes } from './thirteenth/writing.ts';

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
