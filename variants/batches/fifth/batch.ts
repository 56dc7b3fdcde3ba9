import { access } from './access.ts';
import { calls } from './calls.ts';
import { extensions } from './extensions.ts';
import { files } from './files.ts';
import { manyAtOnce } from './many.ts';
import { reading } from './reading.ts';
import { writing } from './writing.ts';
import type { Batch } from '../mistake.ts';

/**
 * Thought of with the documents alone in view, paragraph by paragraph: which one line would be forgotten here, and which request would show it.
 * Written beside another batch whose author did not see this one either.
 */
export const fifth: Batch = {
  ...reading,
  ...access,
  ...writing,
  ...manyAtOnce,
  ...files,
  ...calls,
  ...extensions,
};
