import type { CasesOf } from '../../judge/case.ts';
import { grantCases } from './grant.ts';
import { jwtCases } from './jwt.ts';
import { missingTokenCases } from './missing-token.ts';
import { openCases } from './open.ts';
import { roleCases } from './role.ts';

export const authCases: CasesOf<'auth'> = {
  ...missingTokenCases,
  ...roleCases,
  ...jwtCases,
  ...grantCases,
  ...openCases,
};
