import { accessMistakes } from './forty-sixth/access.ts';
import { callsMistakes, payloadMistakes } from './forty-sixth/calls.ts';
import { bulkMistakes, uploadMistakes } from './forty-sixth/files.ts';
import { manyMistakes } from './forty-sixth/many.ts';
import { readingMistakes } from './forty-sixth/reading.ts';
import { registeredMistakes } from './forty-sixth/registered.ts';
import { writingMistakes } from './forty-sixth/writing.ts';
import type { Batch } from './mistake.ts';

/** Sixty mistakes in sentences that were drawn by lot from every section, written by somebody who knew the documents and no check. */
export const fortySixth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...bulkMistakes,
  ...uploadMistakes,
  ...callsMistakes,
  ...payloadMistakes,
  ...registeredMistakes,
};
