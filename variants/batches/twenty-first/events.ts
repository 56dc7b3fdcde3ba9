import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, logged } from '../proofs.ts';

export const eventsMistakes: Batch = {
  'events.deleted-before-its-first-attempt': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes leaves a log entry, also when it never was attempted.',
    kind: 'moment',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery?.attempts !== 0) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      const event = await service.edda.sendEvent();
      await service.pass(1);
      await service.edda.delete(event.headers.get('location') ?? '');
      return (await logged(service, 'cancelled')).length === 0;
    },
  },

  'events.removal-of-a-refused-one': {
    source: 'extensions: Errors 3',
    breaks: 'That an event is removed from the queue is logged, also when it was refused at once.',
    kind: 'place',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, outcome, step) => {
      const entries = right(areas, delivery, policy, outcome, step);
      return areas.policies.isTransient(outcome) ? entries : entries.filter(({ kind }) => kind !== 'removed');
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], always({ status: 404 }));
      await service.edda.sendEvent();
      await service.pass(1);
      return (await logged(service, 'removed')).length === 0;
    },
  },

  'retries.after-a-closed-connection': {
    source: 'extensions: Errors 1',
    breaks: 'A connection that ends without an answer is a transient error, also when it was closed in order.',
    kind: 'value',
    variant: replaces('policies', 'isTransient', (right, areas, outcome) => {
      const isClosed = outcome.kind === 'failed' && outcome.reason.startsWith('UND_ERR_SOCKET');
      return !isClosed && right(areas, outcome);
    }),
    async shows(service) {
      const steps = [{ cut: 'before-answer', how: 'close' } as const];
      const host = await service.host(() => [{ id: 'event' }], [{ steps }]);
      await service.edda.sendEvent();
      await service.pass(3, 2);
      return callsOf(host, 'event').length < 2;
    },
  },
};
