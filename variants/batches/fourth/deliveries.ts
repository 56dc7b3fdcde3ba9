import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { changeExtension } from '../proofs.ts';
import { type Service, at, hostKey, listAt } from '../service.ts';

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
  'rate.one-is-no-limit': {
    source: 'extensions: Limits, rate limit',
    breaks: 'A limit of one execution a minute is a limit.',
    kind: 'value',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) =>
      right(areas, window, now, limit === 1 ? Infinity : limit),
    ),
    async shows(service) {
      const host = await service.host(() => [{ ...event, rateLimitNumberOfExecutions: 1 }]);
      for (let count = 0; count < 3; count += 1) await service.edda.sendEvent(event.id);
      await service.pass(5);
      return host.entries(({ kind }) => kind === 'event').length > 1;
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
  'retries.forever-ends': {
    source: 'extensions: Registered external endpoint, retryForever; Errors 2',
    breaks: 'Who is to be tried for ever is tried again every five minutes, however often it was.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const step = right(areas, delivery, policy, outcome);
      return step.kind === 'retry' && step.retry > 14 ? { kind: 'failed' } : step;
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ ...event, retryForever: true }],
        [{ steps: [{ status: 503 }], afterwards: 'last' }],
      );
      await service.edda.sendEvent(event.id);
      for (let count = 0; count < 18; count += 1) await service.pass(301);
      return host.entries(({ kind }) => kind === 'event').length <= 15;
    },
  },
  'retries.third-attempt-anew': {
    source: 'extensions: Events 4; Call envelope, id',
    breaks: 'The id of a call is the correlation id of the request that triggered it, at each attempt.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      right(
        areas,
        attempt === 3 && delivery.kind !== 'task' ? { ...delivery, envelopeId: randomUUID() } : delivery,
        callee,
        attempt,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [event], [{ steps: [{ status: 503 }, { status: 503 }] }]);
      const correlationId = randomUUID();
      await service.edda.sendEvent(event.id, {}, { [headerNames.correlationId]: correlationId });
      for (let count = 0; count < 3; count += 1) await service.pass(5);
      const attempts = host.entries(({ kind }) => kind === 'event');
      return attempts.length === 3 && attempts.some(({ envelope }) => envelope?.id !== correlationId);
    },
  },
  'metadata.same-version-same-record': {
    source: 'extensions: Metadata exchange; Versioning',
    breaks: 'Metadata is fetched when an extension is updated: what it says then holds, whatever its version text.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map(
        (record) => former.find(({ id, version }) => id === record.id && version === record.version) ?? record,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [event]);
      host.setRecords([{ ...event, endpoint: '/moved' }]);
      await changeExtension(service, { hostUri: host.url, apiKey: hostKey });
      await service.edda.sendEvent(event.id);
      await service.pass(1);
      return host.entries(({ path }) => path === event.endpoint).length > 0;
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
  'trusted.last-of-a-name': {
    source: 'extensions: Registered trusted external endpoint, access_token',
    breaks: 'The token is appended to the query of the registered URL, of which every parameter stays.',
    kind: 'value',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = new URL(await right(areas, delivery, callee));
      if (callee.endpoint.kind === 'trustedExternalEndpoint' && url.search !== '')
        url.search = new URLSearchParams(Object.fromEntries(url.searchParams)).toString();
      return url.href;
    }),
    async shows(service) {
      const host = await service.host(() => [event]);
      const id = `trusted-${randomUUID()}`;
      const headers = [{ name: 'content-type', value: 'application/json' }];
      const url = `${host.url}/hook?tag=one&tag=two`;
      const endpoint = { id, url, method: 'POST', category: 'proof', headers, tokenLifeTime: 5 };
      await service.cora.post('/api/admin/trustedExternalEndpoint', endpoint);
      await service.edda.post(eventsPath, { endpointId: id, contentPayload: {} });
      await service.pass(1);
      const [call] = host.entries(({ path }) => path === '/hook');
      return call !== undefined && headerValues(call, 'content-type').length > 0 && !call.target.includes('tag=one');
    },
  },
};

const eventsPath = '/api/space/main/externalEvent';

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
