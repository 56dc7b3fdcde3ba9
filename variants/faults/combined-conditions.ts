import type { Call } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variants, replaces } from '../breaks.ts';
import { withoutComparison } from './versioning.ts';

/** What breaks where two conditions meet that are right by themselves. */
export const conditionFaults = {
  'reading.conditions.decide-together': replaces('auth', 'authorize', (right, areas, user, access, call) => {
    right(areas, user, access, call);
    if (call.params['pageNumber'] !== undefined && hasPersonalToken(call))
      throw new Refusal(403, 'Pages take an access token.');
  }),

  'versioning.conditions.decide-together': withoutComparison(hasPersonalToken),

  'batch.conditions.decide-together': replaces('auth', 'authorize', (right, areas, user, access, call) => {
    right(areas, user, access, call);
    if (call.url.split('?')[0]?.endsWith('/batch') === true && hasPersonalToken(call))
      throw new Refusal(403, 'Batches take an access token.');
  }),
} satisfies Variants;

/** A JWT has three parts. */
function hasPersonalToken({ headers }: Call): boolean {
  const [, token = ''] = /^Bearer (.*)$/i.exec(headers['authorization'] ?? '') ?? [];
  return token !== '' && token.split('.').length !== 3;
}
