import type { CasesOf } from '../../judge/case.ts';
import { bodyCases } from './body.ts';
import { correlationCases } from './correlation.ts';
import { informationFilterCases } from './information-filter.ts';
import { locationCases } from './location.ts';
import { namesCases } from './names.ts';
import { reachesExtensionCases } from './reaches-extension.ts';
import { versionCases } from './version.ts';

export const headersCases: CasesOf<'headers'> = {
  ...versionCases,
  ...locationCases,
  ...informationFilterCases,
  ...correlationCases,
  ...reachesExtensionCases,
  ...namesCases,
  ...bodyCases,
};
