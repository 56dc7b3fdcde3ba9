import type { Batch } from './mistake.ts';
import { deliveries } from './tenth/deliveries.ts';
import { files } from './tenth/files.ts';
import { manyAtOnce } from './tenth/many.ts';
import { reading } from './tenth/reading.ts';
import { registered } from './tenth/registered.ts';
import { writing } from './tenth/writing.ts';

/** Thought of with the documents alone in view: what was right before and is kept, what two features do to each other, and what is small only at first. */
export const tenth: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...files,
  ...registered,
  ...deliveries,
};
