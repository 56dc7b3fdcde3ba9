import type { CasesOf } from '../../judge/case.ts';
import { demoteCases } from './demote.ts';
import { guardCases } from './guard.ts';
import { openCases } from './open.ts';
import { promoteCases } from './promote.ts';
import { raceCases } from './race.ts';
import { stateFieldCases } from './state-field.ts';

export const maturityCases: CasesOf<'maturity'> = {
  ...stateFieldCases,
  ...promoteCases,
  ...guardCases,
  ...raceCases,
  ...demoteCases,
  ...openCases,
};
