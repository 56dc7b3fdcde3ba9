import type { Batch } from './mistake.ts';
import { accessMistakes } from './forty-first/access.ts';
import { callMistakes } from './forty-first/calls.ts';
import { fileMistakes } from './forty-first/files.ts';
import { listMistakes } from './forty-first/lists.ts';
import { objectMistakes } from './forty-first/objects.ts';
import { taskMistakes } from './forty-first/tasks.ts';

/** Drawn by lot: sixty sentences of both documents, each broken in the circumstance that a second lot says, by somebody who had not seen a check. */
export const fortyFirst: Batch = {
  ...accessMistakes,
  ...objectMistakes,
  ...listMistakes,
  ...fileMistakes,
  ...callMistakes,
  ...taskMistakes,
};
