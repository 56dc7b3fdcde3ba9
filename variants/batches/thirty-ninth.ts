import type { Batch } from './mistake.ts';
import { accessMistakes } from './thirty-ninth/access.ts';
import { callsMistakes } from './thirty-ninth/calls.ts';
import { filesMistakes } from './thirty-ninth/files.ts';
import { listsMistakes } from './thirty-ninth/lists.ts';
import { objectsMistakes } from './thirty-ninth/objects.ts';
import { tasksMistakes } from './thirty-ninth/tasks.ts';

/** Drawn by lot: sixty sentences of both documents, each broken in the circumstance that a second lot says, by somebody who had not seen a check. */
export const thirtyNinth: Batch = {
  ...accessMistakes,
  ...objectsMistakes,
  ...listsMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...tasksMistakes,
};
