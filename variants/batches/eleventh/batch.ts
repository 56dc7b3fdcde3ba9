import { access } from './access.ts';
import { deliveries } from './deliveries.ts';
import { files } from './files.ts';
import { manyAtOnce } from './many.ts';
import { reading } from './reading.ts';
import { registered } from './registered.ts';
import { writing } from './writing.ts';
import type { Batch } from '../mistake.ts';

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
