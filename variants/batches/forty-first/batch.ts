import type { Batch } from '../mistake.ts';
import { accessMistakes } from './access.ts';
import { callMistakes } from './calls.ts';
import { fileMistakes } from './files.ts';
import { listMistakes } from './lists.ts';
import { objectMistakes } from './objects.ts';
import { taskMistakes } from './tasks.ts';

/** Drawn by lot: sixty sentences of both documents, each broken in the circumstance that a second lot says, by somebody who had not seen a check. */
export const fortyFirst: Batch = {
  ...accessMistakes,
  ...objectMistakes,
  ...listMistakes,
  ...fileMistakes,
  ...callMistakes,
  ...taskMistakes,
};
