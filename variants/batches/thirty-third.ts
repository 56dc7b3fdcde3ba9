import type { Batch } from './mistake.ts';
import { callMistakes } from './thirty-third/calls.ts';
import { filesMistakes } from './thirty-third/files.ts';
import { readingMistakes } from './thirty-third/reading.ts';
import { writingMistakes } from './thirty-third/writing.ts';

/** Sixty mistakes by lot: a sentence of the documents and a circumstance each, drawn with the seed 33. */
export const thirtyThird: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...filesMistakes,
  ...callMistakes,
};
