import { callsMistakes, deliveryMistakes, metadataMistakes } from './calls.ts';
import { bulkMistakes, filesMistakes } from './files.ts';
import { accessMistakes, maturityMistakes, multiCreateMistakes } from './many.ts';
import { pagingMistakes, readingMistakes } from './reading.ts';
import { editingMistakes, operationsMistakes, versioningMistakes } from './writing.ts';
import type { Batch } from '../mistake.ts';

/** Of sixty mistakes over all sections of both documents, written by somebody who knew the documents and no check. */
export const first: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...editingMistakes,
  ...versioningMistakes,
  ...operationsMistakes,
  ...multiCreateMistakes,
  ...maturityMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...bulkMistakes,
  ...deliveryMistakes,
  ...callsMistakes,
  ...metadataMistakes,
};
