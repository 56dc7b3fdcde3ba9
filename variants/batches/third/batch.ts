import type { Batch } from '../mistake.ts';
import { accessMistakes } from './access.ts';
import { callsMistakes, metadataMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { readingMistakes } from './reading.ts';
import { editingMistakes, versioningMistakes } from './writing.ts';

/** Mistakes by somebody who had read the documents and none of the checks. */
export const third: Batch = {
  ...readingMistakes,
  ...editingMistakes,
  ...versioningMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...metadataMistakes,
  ...callsMistakes,
};
