import { access } from './fifth/access.ts';
import { calls } from './fifth/calls.ts';
import { extensions } from './fifth/extensions.ts';
import { files } from './fifth/files.ts';
import { manyAtOnce } from './fifth/many.ts';
import { reading } from './fifth/reading.ts';
import { writing } from './fifth/writing.ts';
import type { Batch } from './mistake.ts';

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
