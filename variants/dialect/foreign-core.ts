import type { Choice } from './choice.ts';
import { foreignBatches } from './foreign-core-batches.ts';
import { foreignReads } from './foreign-core-reads.ts';
import { foreignRefusals } from './foreign-core-refusals.ts';
import { foreignWrites } from './foreign-core-writes.ts';
import { describesPlainJson } from './wire.ts';

/** What the foreign dialect takes another way of the core document, innermost first. */
export const foreignCoreChoices: readonly Choice[] = [
  ...foreignReads,
  ...foreignWrites,
  ...foreignBatches,
  ...foreignRefusals,
  { meets: 'an OpenAPI document with nulls', silences: [], by: describesPlainJson },
];
