import type { CasesOf } from '../../judge/case.ts';
import { absentCases } from './absent.ts';
import { editCases } from './edit.ts';
import { mismatchCases } from './mismatch.ts';
import { openCases } from './open.ts';
import { raceCases } from './race.ts';
import { refusedCases } from './refused.ts';
import { sequenceCases } from './sequence.ts';

export const versioningCases: CasesOf<'versioning'> = {
  ...editCases,
  ...mismatchCases,
  ...absentCases,
  ...refusedCases,
  ...raceCases,
  ...sequenceCases,
  ...openCases,
};
