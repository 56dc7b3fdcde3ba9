import type { CasesOf } from '../../judge/case.ts';
import { bodyCases } from './body.ts';
import { createCases } from './create.ts';
import { entriesCases } from './entries.ts';
import { filterCases } from './filter.ts';
import { routeCases } from './route.ts';
import { systemCases } from './system.ts';

export const readingCases: CasesOf<'reading'> = {
  ...createCases,
  ...routeCases,
  ...bodyCases,
  ...systemCases,
  ...entriesCases,
  ...filterCases,
};
