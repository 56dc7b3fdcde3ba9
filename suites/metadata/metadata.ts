import type { CasesOf } from '../engine/case.ts';
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
