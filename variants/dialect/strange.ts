import { batchChoices } from './batches.ts';
import type { Choice } from './choice.ts';
import { readChoices } from './reads.ts';
import { refusalChoices } from './refusals.ts';
import { wireChoices } from './wire.ts';
import { writeChoices } from './writes.ts';

/**
 * All that the strange dialect takes another way, innermost first: where two touch the same method, the later one has the last
 * word. Every `must` and `should` of the documents holds under each of them and under all together.
 */
export const strangeChoices: readonly Choice[] = [
  ...readChoices,
  ...writeChoices,
  ...refusalChoices,
  ...batchChoices,
  ...wireChoices,
];
