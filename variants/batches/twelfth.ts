import type { Batch } from './mistake.ts';
import { calls } from './twelfth/calls.ts';
import { deliveries } from './twelfth/deliveries.ts';
import { files } from './twelfth/files.ts';
import { inBatch } from './twelfth/in-batch.ts';
import { reading } from './twelfth/reading.ts';
import { registered } from './twelfth/registered.ts';
import { writing } from './twelfth/writing.ts';

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
