import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, logged } from '../proofs.ts';
import { at } from '../service.ts';

export const deliveryMistakes: Batch = {
  'delivery.equal-events-once': {
    source: 'extensions: Events 1',
    breaks: 'Each event is delivered, also one whose content is that of another a moment ago.',
    kind: 'combination',
    variant: breaks('queue', 'enqueue', (right) => {
      const queued = new Map<string, number>();
      return async (areas, writing, delivery) => {
        const now = areas.clock.now();
        const key = JSON.stringify([
          delivery.registrationId,
          delivery.recordId,
          at(delivery.payload, '/contentPayload'),
        ]);
        const isTwin = delivery.kind === 'event' && now - (queued.get(key) ?? -Infinity) < 300_000;
        queued.set(key, now);
        return isTwin || right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      for (let count = 0; count < 2; count += 1) await service.edda.sendEvent('event', { same: true });
      await service.pass(1);
      return callsTo(host).length < 2;
    },
  },

  'delivery.circuit-breaker': {
    source: 'extensions: Limits',
    breaks: 'Each event has its own five retries, also while others to the same endpoint fail.',
    kind: 'combination',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const failures = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        const key = areas.policies.endpointKeyOf(delivery);
        const count = step.kind === 'delivered' ? 0 : (failures.get(key) ?? 0) + 1;
        failures.set(key, count);
        return step.kind === 'retry' && count > 6 ? { kind: 'failed' } : step;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], failing);
      for (const name of ['one', 'other']) await service.edda.sendEvent('event', { name });
      await service.pass(5, 16);
      return callsTo(host).length < 12;
    },
  },

  'log.cancelled-between-retries': {
    source: 'extensions: Events 3',
    breaks: 'When a user deletes an event a log entry is written, also for one that was tried before.',
    kind: 'moment',
    survives: 'How log entries are read is not shown: those of a cancellation are recorded by delivery.log.entries.',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery === undefined || delivery.attempts === 0) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], failing);
      const event = await service.edda.sendEvent();
      await service.pass(1, 4);
      await service.edda.delete(event.headers.get('location') ?? '');
      return (await logged(service, 'cancelled')).length === 0;
    },
  },
};

/** Fails every call. */
const failing: Script = [{ steps: [{ status: 503 }], afterwards: 'last' }];
