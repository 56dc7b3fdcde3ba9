import { callsMistakes } from './calls.ts';
import { endpointsMistakes } from './endpoints.ts';
import { extensionsMistakes } from './extensions.ts';
import { filesMistakes } from './files.ts';
import { keysMistakes } from './keys.ts';
import { batchMistakes, multiCreateMistakes } from './many.ts';
import { accessMistakes, readingMistakes } from './reading.ts';
import { tasksMistakes } from './tasks.ts';
import { writingMistakes } from './writing.ts';
import type { Batch } from '../mistake.ts';

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
