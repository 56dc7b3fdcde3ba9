import { callsMistakes } from './fortieth/calls.ts';
import { filesMistakes } from './fortieth/files.ts';
import { listsMistakes } from './fortieth/lists.ts';
import { manyMistakes } from './fortieth/many.ts';
import { objectsMistakes } from './fortieth/objects.ts';
import { tasksMistakes } from './fortieth/tasks.ts';
import type { Batch } from './mistake.ts';

/** Drawn by lot: sixty sentences of both documents, each broken in a circumstance that was drawn too, by somebody who had seen no check. */
export const fortieth: Batch = {
  ...objectsMistakes,
  ...listsMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
};
