import type { Batch } from '../mistake.ts';
import { callsMistakes, registeredMistakes } from './calls.ts';
import { filesMistakes } from './files.ts';
import { accessMistakes, manyMistakes } from './many.ts';
import { readingMistakes, writingMistakes } from './objects.ts';

/** What is kept and ought not to be, or under a key that says too little: caches, copies, indices, and what is left of what was refused, undone or deleted. */
export const twentyFourth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...registeredMistakes,
  ...callsMistakes,
};
