import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { changeExtension } from '../proofs.ts';
import { type Service, at, listAt } from '../service.ts';

/** Registrations, and events on their way. */
export const deliveries: Batch = {
  'rate.dropped-in-the-second-pause': {
    source: 'extensions: Registered external endpoint, rateLimitNumberOfExecutions',
    breaks: 'Excess requests are queued and delivered later, after a second pause too.',
    kind: 'moment',
    variant: breaks('deliveries', 'holdBack', (right) => {
      const pauses = new Map<string, Set<number>>();
      return async (areas, writing, delivery, until) => {
        const known = pauses.get(delivery.endpoint) ?? new Set();
        pauses.set(delivery.endpoint, known.add(until));
        if (known.size < 2) return right(areas, writing, delivery, until);
        await areas.queue.removeDelivery(writing, delivery, 'failed');
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ ...event, rateLimitNumberOfExecutions: 2 }]);
      for (let count = 0; count < 5; count += 1) await service.edda.sendEvent(event.id);
      for (let count = 0; count < 4; count += 1) await service.pass(61);
      return host.entries(({ kind }) => kind === 'event').length < 5;
    },
  },
  'rate.second-pause-not-logged': {
    source: 'extensions: Errors 3',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    breaks: 'Each time that the limit is exceeded leaves an entry in the log.',
    kind: 'moment',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const told = new Set<string>();
      return async (areas, writing, entry) => {
        if (entry.kind === 'rate-limit' && told.has(entry.endpoint)) return;
        if (entry.kind === 'rate-limit') told.add(entry.endpoint);
        await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host(() => [{ ...event, rateLimitNumberOfExecutions: 1 }]);
      for (let count = 0; count < 3; count += 1) await service.edda.sendEvent(event.id);
      for (let count = 0; count < 4; count += 1) await service.pass(61);
      return (await logged(service, 'rate-limit')).length < 2;
    },
  },
  'events.kept-in-a-pause': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, one that waits for the end of a pause too.',
    kind: 'combination',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      const isHeld = delivery?.attempts === 0 && (delivery.readyAt ?? 0) > areas.clock.now();
      return isHeld ? false : right(areas, writing, id);
    }),
    async shows(service) {
      const host = await service.host(() => [{ ...event, rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent(event.id);
      await service.pass(1);
      const second = await service.edda.sendEvent(event.id);
      await service.pass(1);
      await service.edda.delete(second.headers.get('location') ?? '');
      for (let count = 0; count < 3; count += 1) await service.pass(61);
      return host.entries(({ kind }) => kind === 'event').length > 1;
    },
  },
  'metadata.whole-seconds': {
    source: 'extensions: Extension metadata record, requestTimeout',
    breaks: 'A request timeout is a number of seconds, with a fraction too.',
    kind: 'value',
    survives: 'A number of seconds may be waited for in whole ones: how finely a service measures is not said.',
    variant: replaces('callees', 'requestTimeoutOf', (right, areas, record) => Math.floor(right(areas, record))),
    async shows(service) {
      await service.host(() => [{ ...event, requestTimeout: 2.9 }], [{ steps: [{ never: true }] }]);
      await service.edda.sendEvent(event.id);
      await service.pass(0.1);
      await service.pass(2.3);
      return (await logged(service, 'timeout')).length > 0;
    },
  },
  'signing.with-the-former-key': {
    source: 'extensions: Authentication 3; Registered extension, apiKey',
    breaks: 'A call is signed with the key that its extension is registered with now.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const keys = new Map<string, string>();
      return (areas, delivery, callee) => {
        const { id, apiKey } = callee.extension;
        keys.set(id, keys.get(id) ?? apiKey);
        return right(areas, delivery, {
          ...callee,
          extension: { ...callee.extension, apiKey: keys.get(id) ?? apiKey },
        });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [event]);
      await service.edda.sendEvent(event.id);
      await service.pass(1);
      host.setScript([{ when: { kind: 'metadata' }, steps: [{ status: 200, json: [event] }] }]);
      await changeExtension(service, { hostUri: host.url, apiKey: Buffer.alloc(64, 8).toString('base64') });
      const before = host.entries().length;
      await service.edda.sendEvent(event.id);
      await service.pass(1);
      return host
        .entries()
        .slice(before)
        .some(({ signature }) => signature?.ok === true);
    },
  },
};

const event: MetadataRecord = {
  id: 'proof-event',
  version: '1.0.0',
  name: 'Proof',
  endpoint: '/proof-event',
  extensionType: 'ExternalEvent',
  category: 'proof',
  rateLimitNumberOfExecutions: 1000,
};

async function logged({ cora }: Service, kind: string): Promise<readonly unknown[]> {
  const log = (await cora.get('/api/admin/log')).json;
  return listAt(log, '/data').filter((entry) => at(entry, '/kind') === kind);
}
