import { accessMistakes } from './access.ts';
import { callsMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { readingMistakes } from './reading.ts';
import { registeredMistakes } from './registered.ts';
import { tasksMistakes } from './tasks.ts';
import { writingMistakes } from './writing.ts';
import type { Batch } from '../mistake.ts';

/** Of sixty mistakes of the sorts that teams make, in sentences that were drawn by lot from both documents, by somebody who knew no check. */
export const fiftieth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...registeredMistakes,
};
