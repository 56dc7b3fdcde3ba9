import type { Batch } from '../mistake.ts';
import { access } from './access.ts';
import { calls } from './calls.ts';
import { extensions } from './extensions.ts';
import { files } from './files.ts';
import { manyAtOnce } from './many.ts';
import { reading } from './reading.ts';
import { writing } from './writing.ts';

/** Thought of with the documents alone in view: slips that pass the first test of whoever makes them, and show with the second value, place or moment. */
export const sixth: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...access,
  ...files,
  ...calls,
  ...extensions,
};
