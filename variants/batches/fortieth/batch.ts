import { callsMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { listsMistakes } from './lists.ts';
import { manyMistakes } from './many.ts';
import { objectsMistakes } from './objects.ts';
import { tasksMistakes } from './tasks.ts';
import type { Batch } from '../mistake.ts';

/** Drawn by lot: sixty sentences of both documents, each broken in a circumstance that was drawn too, by somebody who had seen no check. */
export const fortieth: Batch = {
  ...objectsMistakes,
  ...listsMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
};
