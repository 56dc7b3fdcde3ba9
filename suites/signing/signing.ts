import type { CasesOf } from '../engine/case.ts';
import { extensionCallCases } from './extension-call.ts';

export const signingCases: CasesOf<'signing'> = { ...extensionCallCases };
