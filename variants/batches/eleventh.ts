import { access } from './eleventh/access.ts';
import { deliveries } from './eleventh/deliveries.ts';
import { files } from './eleventh/files.ts';
import { manyAtOnce } from './eleventh/many.ts';
import { reading } from './eleventh/reading.ts';
import { registered } from './eleventh/registered.ts';
import { writing } from './eleventh/writing.ts';
import type { Batch } from './mistake.ts';

/** Thought of with the documents alone in view: what several requests in a row make of a service, and what it keeps between them. */
export const eleventh: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...access,
  ...files,
  ...registered,
  ...deliveries,
};
