import type { Batch } from './mistake.ts';
import { askingMistakes } from './thirty-fifth/asking.ts';
import { batchingMistakes } from './thirty-fifth/batching.ts';
import { callsMistakes } from './thirty-fifth/calls.ts';
import { extensionsMistakes } from './thirty-fifth/extensions.ts';
import { filesMistakes } from './thirty-fifth/files.ts';
import { readingMistakes, writingMistakes } from './thirty-fifth/reading.ts';

/** Sentences of both documents drawn by lot, each with a circumstance under which alone the mistake shows. */
export const thirtyFifth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...askingMistakes,
  ...batchingMistakes,
  ...extensionsMistakes,
};
