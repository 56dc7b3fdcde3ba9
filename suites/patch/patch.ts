import type { CasesOf } from '../../judge/case.ts';
import { addCases } from './add.ts';
import { bodyCases } from './body.ts';
import { contentTypeCases } from './content-type.ts';
import { indexCases } from './index-addressing.ts';
import { mergeCases } from './merge.ts';
import { operationsCases } from './operations.ts';
import { pathCases } from './path.ts';
import { putCases } from './put.ts';
import { removeCases } from './remove.ts';
import { replaceCases } from './replace.ts';
import { targetCases } from './target.ts';

export const patchCases: CasesOf<'patch'> = {
  ...mergeCases,
  ...putCases,
  ...targetCases,
  ...contentTypeCases,
  ...bodyCases,
  ...pathCases,
  ...indexCases,
  ...addCases,
  ...replaceCases,
  ...removeCases,
  ...operationsCases,
};
