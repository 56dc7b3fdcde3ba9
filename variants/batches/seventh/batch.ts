import type { Batch } from '../mistake.ts';
import { access } from './access.ts';
import { calls } from './calls.ts';
import { manyAtOnce } from './many.ts';
import { reading } from './reading.ts';
import { writing } from './writing.ts';

/** Thought of with the documents alone in view: what a cache, a batch around it, a second digit or an empty value makes of code that was right before. */
export const seventh: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...access,
  ...calls,
};
