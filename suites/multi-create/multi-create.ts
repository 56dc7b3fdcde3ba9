import type { CasesOf } from '../../judge/case.ts';
import { itemCases } from './items.ts';
import { openCases } from './open.ts';
import { referenceCases } from './reference.ts';
import { sizeCases } from './size.ts';

export const multiCreateCases: CasesOf<'multi-create'> = {
  ...itemCases,
  ...referenceCases,
  ...sizeCases,
  ...openCases,
};
