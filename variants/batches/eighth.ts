import { access } from './eighth/access.ts';
import { calls } from './eighth/calls.ts';
import { files } from './eighth/files.ts';
import { manyAtOnce } from './eighth/many.ts';
import { reading } from './eighth/reading.ts';
import { writing } from './eighth/writing.ts';
import type { Batch } from './mistake.ts';

/** Thought of with the documents alone in view: what is right at first sight, and wrong one place, one value, one role or one request further. */
export const eighth: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...access,
  ...files,
  ...calls,
};
