import type { CasesOf } from '../../judge/case.ts';
import { commitCases } from './commit.ts';
import { headersCases } from './headers.ts';
import { openCases } from './open.ts';
import { resultCases } from './result.ts';
import { rollbackCases } from './rollback.ts';
import { routeCases } from './route.ts';
import { sizeCases } from './size.ts';
import { statusCases } from './status.ts';
import { versionCases } from './version.ts';

export const batchCases: CasesOf<'batch'> = {
  ...statusCases,
  ...resultCases,
  ...versionCases,
  ...rollbackCases,
  ...commitCases,
  ...headersCases,
  ...routeCases,
  ...sizeCases,
  ...openCases,
};
