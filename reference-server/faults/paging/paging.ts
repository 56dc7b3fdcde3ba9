import type { FaultsOf } from '../fault.ts';
import { filterFaults } from './filter.ts';
import { instanceReadFaults } from './instance-read.ts';
import { linkFaults } from './link.ts';
import { pageFaults } from './page.ts';

export const pagingFaults: FaultsOf<'paging'> = {
  ...instanceReadFaults,
  ...linkFaults,
  ...pageFaults,
  ...filterFaults,
};
