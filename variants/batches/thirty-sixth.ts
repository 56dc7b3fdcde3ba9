import type { Batch } from './mistake.ts';
import { accessMistakes } from './thirty-sixth/access.ts';
import { callsMistakes } from './thirty-sixth/calls.ts';
import { deliveryMistakes } from './thirty-sixth/delivery.ts';
import { filesMistakes } from './thirty-sixth/files.ts';
import { manyMistakes } from './thirty-sixth/many.ts';
import { readingMistakes } from './thirty-sixth/reading.ts';
import { tasksMistakes } from './thirty-sixth/tasks.ts';
import { writingMistakes } from './thirty-sixth/writing.ts';

/** Drawn by lot: sixty sentences of both documents, each broken where a second lot says, by somebody who had not seen a check. */
export const thirtySixth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...tasksMistakes,
  ...callsMistakes,
  ...deliveryMistakes,
};
