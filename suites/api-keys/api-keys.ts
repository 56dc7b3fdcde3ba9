import type { CasesOf } from '../engine/case.ts';
import { hostCases } from './host.ts';

export const apiKeysCases: CasesOf<'api-keys'> = { ...hostCases };
