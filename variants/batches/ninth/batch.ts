import type { Batch } from '../mistake.ts';
import { access } from './access.ts';
import { calls } from './calls.ts';
import { files } from './files.ts';
import { manyAtOnce } from './many.ts';
import { reading } from './reading.ts';
import { writing } from './writing.ts';

/** Thought of with the documents alone in view: what one case tells right and the next one, a value, a place or a request further, wrong. */
export const ninth: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...access,
  ...files,
  ...calls,
};
