import type { CasesOf } from '../../judge/case.ts';
import { foreverCases } from './forever.ts';
import { logCases } from './log.ts';
import { openCases } from './open.ts';
import { permanentCases } from './permanent.ts';
import { queueCases } from './queue.ts';
import { rateCases } from './rate.ts';
import { restartCases } from './restart.ts';
import { retryCases } from './retries.ts';
import { successCases } from './success.ts';
import { timeoutCases } from './timeout.ts';
import { transientCases } from './transient.ts';
import { validationCases } from './validation.ts';

export const deliveryCases: CasesOf<'delivery'> = {
  ...successCases,
  ...transientCases,
  ...permanentCases,
  ...retryCases,
  ...validationCases,
  ...foreverCases,
  ...timeoutCases,
  ...rateCases,
  ...queueCases,
  ...restartCases,
  ...openCases,
  ...logCases,
};
