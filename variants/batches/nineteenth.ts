import type { Batch } from './mistake.ts';
import { callsMistakes, deliveryMistakes, taskMistakes } from './nineteenth/calls.ts';
import { bulkMistakes, filesMistakes } from './nineteenth/files.ts';
import { accessMistakes, batchMistakes, multiCreateMistakes } from './nineteenth/many.ts';
import { filterMistakes, readingMistakes } from './nineteenth/reading.ts';
import { keysMistakes, registrationMistakes } from './nineteenth/registered.ts';
import { operationsMistakes, writingMistakes } from './nineteenth/writing.ts';

/** Sixty sentences of both documents, drawn by lot, each broken as the author of a service of his own would get it wrong. */
export const nineteenth: Batch = {
  ...readingMistakes,
  ...filterMistakes,
  ...writingMistakes,
  ...operationsMistakes,
  ...batchMistakes,
  ...multiCreateMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...bulkMistakes,
  ...registrationMistakes,
  ...keysMistakes,
  ...callsMistakes,
  ...deliveryMistakes,
  ...taskMistakes,
};
