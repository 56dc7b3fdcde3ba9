import type { CasesOf } from '../../judge/case.ts';
import { callbackCases } from './callback.ts';
import { hostCases } from './host.ts';
import { linkCases } from './links.ts';
import { payloadCases } from './payload.ts';
import { progressCases } from './progress.ts';
import { reportedFileCases } from './reported-files.ts';
import { statusCases } from './status.ts';
import { timeoutCases } from './timeout.ts';

export const tasksCases: CasesOf<'tasks'> = {
  ...payloadCases,
  ...linkCases,
  ...statusCases,
  ...reportedFileCases,
  ...callbackCases,
  ...progressCases,
  ...timeoutCases,
  ...hostCases,
};
