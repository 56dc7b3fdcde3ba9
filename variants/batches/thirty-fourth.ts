import type { Batch } from './mistake.ts';
import { callsMistakes } from './thirty-fourth/calls.ts';
import { deliveryMistakes } from './thirty-fourth/delivery.ts';
import { filesMistakes } from './thirty-fourth/files.ts';
import { manyMistakes } from './thirty-fourth/many.ts';
import { readingMistakes } from './thirty-fourth/reading.ts';
import { writingMistakes } from './thirty-fourth/writing.ts';

/** Drawn by lot: sixty sentences of both documents, each broken where a second lot says, by somebody who had not seen a check. */
export const thirtyFourth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...deliveryMistakes,
};
