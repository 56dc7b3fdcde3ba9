import type { SomeCasesOf } from '../../judge/case.ts';
import { chunkChecksumCases } from './chunk-checksum.ts';
import { chunkContradictionCases } from './chunk-contradictions.ts';
import { chunkOpenCases } from './chunk-open.ts';
import { chunkPartialCases } from './chunk-partial.ts';
import { chunkSizeCases } from './chunk-sizes.ts';
import { chunkTargetCases } from './chunk-target.ts';
import { chunkTogetherCases } from './chunk-together.ts';

export const chunkCases = {
  ...chunkSizeCases,
  ...chunkTargetCases,
  ...chunkChecksumCases,
  ...chunkTogetherCases,
  ...chunkPartialCases,
  ...chunkOpenCases,
  ...chunkContradictionCases,
} satisfies SomeCasesOf<'files'>;
