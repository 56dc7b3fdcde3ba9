import type { Batch } from '../mistake.ts';
import { batchingMistakes } from './batching.ts';
import { callsMistakes } from './calls.ts';
import { extensionsMistakes } from './extensions.ts';
import { filesMistakes } from './files.ts';
import { readingMistakes, writingMistakes } from './reading.ts';

/** Sentences of both documents drawn by lot, each with a circumstance under which alone the mistake shows. */
export const thirtyFifth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...batchingMistakes,
  ...extensionsMistakes,
};
