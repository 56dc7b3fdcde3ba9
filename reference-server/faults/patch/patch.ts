import type { FaultsOf } from '../fault.ts';
import { addFaults } from './add.ts';
import { addressingFaults } from './addressing.ts';
import { bodyFaults } from './body.ts';
import { contentFaults } from './content.ts';
import { removeFaults } from './remove.ts';
import { replaceFaults } from './replace.ts';

export const patchFaults: FaultsOf<'patch'> = {
  ...contentFaults,
  ...bodyFaults,
  ...addressingFaults,
  ...addFaults,
  ...replaceFaults,
  ...removeFaults,
};
