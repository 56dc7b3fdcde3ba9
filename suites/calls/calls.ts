import type { CasesOf } from '../../judge/case.ts';
import { actionCases } from './action.ts';
import { hostCases } from './host.ts';
import { emailCases } from './email.ts';
import { envelopeCases } from './envelope.ts';
import { eventCases } from './event.ts';
import { informationFilterCases } from './information-filter.ts';
import { queryTokenCases } from './query-token.ts';
import { simpleCases } from './simple.ts';
import { tokenCases } from './token.ts';
import { trustedCases } from './trusted.ts';
import { validationCases } from './validation.ts';

export const callsCases: CasesOf<'calls'> = {
  ...envelopeCases,
  ...informationFilterCases,
  ...tokenCases,
  ...queryTokenCases,
  ...eventCases,
  ...validationCases,
  ...emailCases,
  ...actionCases,
  ...simpleCases,
  ...trustedCases,
  ...hostCases,
};
