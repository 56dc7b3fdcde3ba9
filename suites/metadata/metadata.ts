import type { CasesOf } from '../../judge/case.ts';
import { fetchCases } from './fetch.ts';
import { hostCases } from './host.ts';
import { openCases } from './open.ts';
import { recordsCases } from './records.ts';
import { useCases } from './use.ts';

export const metadataCases: CasesOf<'metadata'> = {
  ...fetchCases,
  ...recordsCases,
  ...useCases,
  ...openCases,
  ...hostCases,
};
