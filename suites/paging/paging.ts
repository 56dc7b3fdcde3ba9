import type { CasesOf } from '../../judge/case.ts';
import { filterCases } from './filter.ts';
import { instanceReadCases } from './instance-read.ts';
import { linkCases } from './link.ts';
import { pageBodyCases } from './page-body.ts';
import { pageCases } from './page.ts';

export const pagingCases: CasesOf<'paging'> = {
  ...instanceReadCases,
  ...linkCases,
  ...pageCases,
  ...pageBodyCases,
  ...filterCases,
};
