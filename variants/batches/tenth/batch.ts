import type { Batch } from '../mistake.ts';
import { deliveries } from './deliveries.ts';
import { manyAtOnce } from './many.ts';
import { reading } from './reading.ts';
import { registered } from './registered.ts';
import { writing } from './writing.ts';

/** Thought of with the documents alone in view: what was right before and is kept, what two features do to each other, and what is small only at first. */
export const tenth: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...registered,
  ...deliveries,
};
