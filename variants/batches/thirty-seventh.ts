import type { Batch } from './mistake.ts';
import { accessMistakes } from './thirty-seventh/access.ts';
import { callsMistakes } from './thirty-seventh/calls.ts';
import { filesMistakes } from './thirty-seventh/files.ts';
import { readingMistakes } from './thirty-seventh/reading.ts';
import { tasksMistakes } from './thirty-seventh/tasks.ts';
import { writingMistakes } from './thirty-seventh/writing.ts';

/** Drawn by lot: sixty sentences of both documents, each broken where a second lot says, by somebody who had not seen a check. */
export const thirtySeventh: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...tasksMistakes,
  ...callsMistakes,
};
