import { callsMistakes } from './forty-second/calls.ts';
import { filesMistakes } from './forty-second/files.ts';
import { manyMistakes } from './forty-second/many.ts';
import { readingMistakes } from './forty-second/reading.ts';
import { registrationsMistakes } from './forty-second/registrations.ts';
import { writingMistakes } from './forty-second/writing.ts';
import type { Batch } from './mistake.ts';

/** Drawn by lot: sixty sentences of both documents, each broken in a circumstance that was drawn too, by somebody who had seen no check. */
export const fortySecond: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...registrationsMistakes,
};
