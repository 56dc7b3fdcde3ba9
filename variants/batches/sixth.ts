import type { Batch } from './mistake.ts';
import { access } from './sixth/access.ts';
import { calls } from './sixth/calls.ts';
import { extensions } from './sixth/extensions.ts';
import { files } from './sixth/files.ts';
import { manyAtOnce } from './sixth/many.ts';
import { reading } from './sixth/reading.ts';
import { writing } from './sixth/writing.ts';

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
