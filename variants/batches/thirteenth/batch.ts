import type { Batch } from '../mistake.ts';
import { callsMistakes, endpointMistakes, metadataMistakes, validationMistakes } from './calls.ts';
import { deliveryMistakes } from './deliveries.ts';
import { filesMistakes } from './files.ts';
import { accessMistakes, batchMistakes } from './many.ts';
import { pagingMistakes, readingMistakes } from './reading.ts';
import { editingMistakes, versioningMistakes } from './writing.ts';

/** What a team does to its service in the second year: caches, migrations, pools, retries, clean-ups, a second node. */
export const thirteenth: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...editingMistakes,
  ...versioningMistakes,
  ...batchMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...endpointMistakes,
  ...callsMistakes,
  ...validationMistakes,
  ...metadataMistakes,
  ...deliveryMistakes,
};
