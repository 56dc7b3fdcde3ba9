import type { Batch } from '../mistake.ts';
import { accessMistakes } from './access.ts';
import { callsMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { listsMistakes } from './lists.ts';
import { objectsMistakes } from './objects.ts';
import { tasksMistakes } from './tasks.ts';

/** Drawn by lot: sixty sentences of both documents, each broken in the circumstance that a second lot says, by somebody who had not seen a check. */
export const thirtyNinth: Batch = {
  ...accessMistakes,
  ...objectsMistakes,
  ...listsMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
};
