import type { Batch } from '../mistake.ts';
import { calls } from './calls.ts';
import { deliveries } from './deliveries.ts';
import { files } from './files.ts';
import { inBatch } from './in-batch.ts';
import { reading } from './reading.ts';
import { registered } from './registered.ts';
import { writing } from './writing.ts';

/** Thought of with the documents alone in view: sentences of two sections at once, and data that is not as short and plain as in a sample. */
export const twelfth: Batch = {
  ...reading,
  ...writing,
  ...inBatch,
  ...files,
  ...registered,
  ...deliveries,
  ...calls,
};
