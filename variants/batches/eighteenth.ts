import { callsMistakes } from './eighteenth/calls.ts';
import { endpointsMistakes } from './eighteenth/endpoints.ts';
import { extensionsMistakes } from './eighteenth/extensions.ts';
import { filesMistakes } from './eighteenth/files.ts';
import { keysMistakes } from './eighteenth/keys.ts';
import { batchMistakes, multiCreateMistakes } from './eighteenth/many.ts';
import { accessMistakes, readingMistakes } from './eighteenth/reading.ts';
import { tasksMistakes } from './eighteenth/tasks.ts';
import { writingMistakes } from './eighteenth/writing.ts';
import type { Batch } from './mistake.ts';

/** Sixty sentences of both documents, drawn by lot, each broken as somebody would who writes such a service from the documents alone. */
export const eighteenth: Batch = {
  ...readingMistakes,
  ...accessMistakes,
  ...writingMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...filesMistakes,
  ...endpointsMistakes,
  ...extensionsMistakes,
  ...callsMistakes,
  ...tasksMistakes,
  ...keysMistakes,
};
