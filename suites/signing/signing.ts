import type { CasesOf } from '../../judge/case.ts';
import { bulkSignatureCases } from './bulk.ts';
import { extensionCallCases } from './extension-call.ts';
import { hostCases } from './host.ts';

export const signingCases: CasesOf<'signing'> = { ...bulkSignatureCases, ...extensionCallCases, ...hostCases };
