import { access } from './access.ts';
import { calls } from './calls.ts';
import { files } from './files.ts';
import { manyAtOnce } from './many.ts';
import { reading } from './reading.ts';
import { writing } from './writing.ts';
import type { Batch } from '../mistake.ts';

/** Thought of with the documents alone in view: what is right at first sight, and wrong one place, one value, one role or one request further. */
export const eighth: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...access,
  ...files,
  ...calls,
};
