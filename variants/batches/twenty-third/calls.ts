import type { Entry } from '../../../simulator/extension/entry.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, logged } from '../proofs.ts';

export const deliveryMistakes: Batch = {
  'delivery.removed-without-a-word': {
    source: 'extensions: Errors 3',
    breaks: 'Removal from the queue is logged, also where an error was not transient.',
    kind: 'value',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) =>
      right(areas, delivery, policy, outcome, step).filter(
        ({ kind }) => kind !== 'removed' || areas.policies.isTransient(outcome),
      ),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 404 }));
      await service.edda.sendEvent();
      await service.pass(1, 2);
      return (await logged(service, 'removed')).length === 0;
    },
  },
};

/** Claims of the token in the query of a call. */
export function tokenIn(entry: Entry | undefined): unknown {
  const token = new URL(entry?.target ?? '/', 'http://host.invalid').searchParams.get('access_token') ?? '';
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || 'null');
}
