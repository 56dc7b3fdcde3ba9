import type { ScriptedAnswer } from '../../../simulator/extension/step.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { many, signatureOver, hostKey } from '../service.ts';
import { callsAfter } from './proofs.ts';
import { callsTo, logged } from '../proofs.ts';

const busy: ScriptedAnswer = { steps: [{ status: 503 }], afterwards: 'last' };

/** The first of a text becomes another one, and no further. */
function replaceFirst(signature: string): string {
  const [head = '', ...rest] = signature.split('-');
  return rest.length === 0 ? head : `${head}-${rest.join('+')}`;
}

export const deliveries: Batch = {
  'signing.first-plus-alone-is-replaced': {
    source: 'extensions: Authentication 2',
    breaks: 'Every plus of the Base64 becomes a minus, not the first one only.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (right, areas, ...args) => replaceFirst(right(areas, ...args))),
    async shows(service) {
      const endpoints = many(40, (number) => `/endpoint-${number}`);
      const endpoint = endpoints.find((path) => signatureOver(path, hostKey).split('-').length > 2) ?? '';
      const host = await service.host(() => [{ id: 'e', endpoint }]);
      await service.edda.sendEvent('e');
      await service.pass(1);
      return callsTo(host)[0]?.signature?.ok === false;
    },
  },
  'log.pause-is-told-once-an-endpoint': {
    source: 'extensions: Errors 3',
    breaks: 'Every time that the rate limit is exceeded there is an entry, not only the first time.',
    kind: 'moment',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const told = new Set<string>();
      return async (areas, writing, entry) => {
        if (entry.kind === 'rate-limit' && told.has(entry.endpoint)) return;
        if (entry.kind === 'rate-limit') told.add(entry.endpoint);
        await right(areas, writing, entry);
      };
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      await service.host(() => [{ id: 'e', rateLimitNumberOfExecutions: 1 }]);
      for (let left = 4; left > 0; left -= 1) await service.edda.sendEvent('e');
      await service.pass(1);
      await service.pass(65);
      await service.pass(65);
      return (await logged(service, 'rate-limit')).length < 2;
    },
  },
  'events.cancelled-between-retries-is-not-logged': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes leaves an entry, also when it waits for a retry.',
    kind: 'combination',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      if (delivery === undefined || delivery.attempts === 0) return right(areas, writing, id);
      await areas.queue.removeDelivery(writing, delivery, 'cancelled');
      return true;
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows(service) {
      const { edda } = service;
      const host = await service.host(() => [{ id: 'e' }], [busy]);
      const event = await edda.sendEvent('e');
      await callsAfter(service, host, 2, 1);
      await edda.delete(event.headers.get('location') ?? '');
      return (await logged(service, 'cancelled')).length === 0;
    },
  },
};
