import type { CasesOf } from '../../judge/case.ts';
import { areaCases } from './areas.ts';
import { authCases } from './auth.ts';
import { checksumCases } from './checksum.ts';
import { chunkCases } from './chunk.ts';
import { deleteCases } from './delete.ts';
import { downloadCases } from './download.ts';
import { isolationCases } from './isolation.ts';
import { nameCases } from './names.ts';
import { openCases } from './open.ts';
import { raceCases } from './race.ts';
import { safetyCases } from './safety.ts';
import { streamCases } from './stream.ts';

export const filesCases: CasesOf<'files'> = {
  ...areaCases,
  ...streamCases,
  ...checksumCases,
  ...nameCases,
  ...raceCases,
  ...downloadCases,
  ...deleteCases,
  ...authCases,
  ...isolationCases,
  ...safetyCases,
  ...chunkCases,
  ...openCases,
};
