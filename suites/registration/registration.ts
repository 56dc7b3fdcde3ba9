import type { CasesOf } from '../../judge/case.ts';
import { accessCases } from './access.ts';
import { activeCases } from './active.ts';
import { extensionCases } from './extension.ts';
import { openCases } from './open.ts';
import { simpleCases } from './simple.ts';
import { trustedCases } from './trusted.ts';

export const registrationCases: CasesOf<'registration'> = {
  ...simpleCases,
  ...trustedCases,
  ...extensionCases,
  ...accessCases,
  ...activeCases,
  ...openCases,
};
