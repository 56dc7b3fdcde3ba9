import { accessMistakes } from './forty-fifth/access.ts';
import { callsMistakes, payloadMistakes } from './forty-fifth/calls.ts';
import { filesMistakes } from './forty-fifth/files.ts';
import { manyMistakes } from './forty-fifth/many.ts';
import { readingMistakes } from './forty-fifth/reading.ts';
import { registeredMistakes } from './forty-fifth/registered.ts';
import { writingMistakes } from './forty-fifth/writing.ts';
import type { Batch } from './mistake.ts';

/** Sixty mistakes in sentences that were drawn by lot from every section, written by somebody who knew the documents and no check. */
export const fortyFifth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...payloadMistakes,
  ...registeredMistakes,
};
