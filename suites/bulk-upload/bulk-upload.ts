import type { CasesOf } from '../../judge/case.ts';
import { authCases } from './auth.ts';
import { bodyCases } from './body.ts';
import { deleteAfterCases } from './delete-after.ts';
import { levelCases } from './levels.ts';
import { logCases } from './log.ts';
import { replaceCases } from './replace.ts';
import { targetCases } from './target.ts';

export const bulkUploadCases: CasesOf<'bulk-upload'> = {
  ...levelCases,
  ...targetCases,
  ...replaceCases,
  ...deleteAfterCases,
  ...logCases,
  ...bodyCases,
  ...authCases,
};
