import type { Batch } from './mistake.ts';
import { access } from './ninth/access.ts';
import { calls } from './ninth/calls.ts';
import { files } from './ninth/files.ts';
import { manyAtOnce } from './ninth/many.ts';
import { reading } from './ninth/reading.ts';
import { writing } from './ninth/writing.ts';

/** Thought of with the documents alone in view: what one case tells right and the next one, a value, a place or a request further, wrong. */
export const ninth: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...access,
  ...files,
  ...calls,
};
