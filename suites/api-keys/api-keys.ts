import type { CasesOf } from '../../judge/case.ts';
import { acquireCases } from './acquire.ts';
import { callbackCases } from './callback.ts';
import { hostCases } from './host.ts';
import { keyCases } from './key.ts';
import { refusedCases } from './refused.ts';
import { rotationCases } from './rotation.ts';

export const apiKeysCases: CasesOf<'api-keys'> = {
  ...acquireCases,
  ...refusedCases,
  ...callbackCases,
  ...keyCases,
  ...rotationCases,
  ...hostCases,
};
