import type { Batch } from './mistake.ts';
import { access } from './seventh/access.ts';
import { calls } from './seventh/calls.ts';
import { files } from './seventh/files.ts';
import { manyAtOnce } from './seventh/many.ts';
import { reading } from './seventh/reading.ts';
import { writing } from './seventh/writing.ts';

/** Thought of with the documents alone in view: what a cache, a batch around it, a second digit or an empty value makes of code that was right before. */
export const seventh: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...access,
  ...files,
  ...calls,
};
