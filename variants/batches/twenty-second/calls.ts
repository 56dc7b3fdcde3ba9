import { isContent } from '../../../reference-server/areas/content.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import { withParameter } from '../../../reference-server/areas/callees.ts';
import { jobWith, keepJob } from '../../../reference-server/areas/jobs.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, hostKey, movePath, type Service, signatureOver, versionHeader } from '../service.ts';

export const callsMistakes: Batch = {
  'endpoints.token-at-a-retry': {
    source: 'extensions: Registered external endpoint',
    breaks: 'A simple endpoint is given no access token, at a retry neither.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (attempt === 1 || !('endpoint' in callee) || 'tokenLifeTime' in callee.endpoint) return request;
      const token = await areas.requests.impersonationToken(delivery.userName, 60);
      return { ...request, url: withParameter(request.url, 'access_token', token) };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 503 }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await service.pass(3, 2);
      return callsTo(host).some(({ target }) => target.includes('access_token'));
    },
  },

  'endpoints.header-that-looks-like-a-secret': {
    source: 'extensions: Authentication 6',
    breaks: 'A simple endpoint gets the headers that are configured, the one with its own key among them.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const headers = Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'authorization');
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const headers = { 'content-type': 'text/plain', Authorization: 'Key of-the-endpoint' };
      const list = Object.entries(headers).map(([name, value]) => ({ name, value }));
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, headers: list });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).some((entry) => headerValues(entry, 'authorization').length === 0);
    },
  },

  'extensions.host-of-the-same-route': {
    source: 'extensions: What the service does',
    breaks: 'Each call goes to the host that is registered for it, also where two hosts have a route of one name.',
    kind: 'copy',
    variant: breaks('callees', 'calleeOf', (right) => {
      const urls = new Map<string, string>();
      return async (areas, reading, address) => {
        const callee = await right(areas, reading, address);
        if (callee === undefined || !('record' in callee)) return callee;
        const url = urls.get(callee.record.endpoint) ?? callee.url;
        urls.set(callee.record.endpoint, url);
        return { ...callee, url };
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'one', endpoint: '/same' }]);
      const other = await service.host(() => [{ id: 'other', endpoint: '/same' }]);
      await service.edda.sendEvent('one');
      await service.edda.sendEvent('other');
      await service.pass(1);
      return callsOf(other, 'event').length === 0;
    },
  },

  'extensions.route-from-the-root': {
    source: 'extensions: Extension metadata record, row endpoint',
    breaks: 'A route is relative to the address of the host, also where that has a path of its own.',
    kind: 'combination',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      if (callee === undefined || !('record' in callee)) return callee;
      return { ...callee, url: new URL(callee.record.endpoint, callee.extension.hostUri).href };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }]);
      await changeExtension(service, { hostUri: `${host.url}/base` });
      await service.edda.sendEvent();
      await service.pass(1);
      return host.entries().some(({ path }) => path === '/event');
    },
  },

  'extensions.key-of-the-first-call': {
    source: 'extensions: Registered extension, row apiKey',
    breaks: 'Calls are signed with the key that an extension is registered with, also after that was changed.',
    kind: 'copy',
    variant: breaks('signing', 'signatureHeaders', (right) => {
      const keys = new Map<string, string>();
      return (areas, apiKey, url) => {
        const { origin } = new URL(url);
        const key = keys.get(origin) ?? apiKey;
        keys.set(origin, key);
        return right(areas, key, url);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url, apiKey: Buffer.alloc(64, 9).toString('base64') });
      await service.edda.sendEvent();
      await service.pass(1);
      const [call] = callsTo(host);
      return (
        call !== undefined && headerValues(call, 'authorization')[0] === `Bearer ${signatureOver(call.path, hostKey)}`
      );
    },
  },

  'metadata.nothing-behind-a-strange-type': {
    source: 'extensions: Extension metadata record, row extensionType',
    breaks: 'A record of a type that is not supported is ignored, and those behind it are not.',
    kind: 'place',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const end = items.findIndex((item) => !areas.metadata.isSupportedType(String(at(item, '/extensionType'))));
      return right(areas, end < 0 ? items : items.slice(0, end));
    }),
    async shows({ edda, host }) {
      await host(() => [{ id: 'strange', extensionType: 'Telepathy' }, { id: 'event' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },

  'keys.permissions-of-before': {
    source: 'extensions: Authentication 5',
    breaks: 'A trusted endpoint may request the keys that are configured for it, and none that were before its update.',
    kind: 'copy',
    variant: breaks('apiKeys', 'endpointHolders', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, reading, id) => {
        const holders = known.get(id) ?? (await right(areas, reading, id));
        if (holders.length > 0) known.set(id, holders);
        return holders;
      };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 200 }) });
      const tokenCallback = `${host.url}/keys`;
      const fields = { url: `${host.url}/hook`, permissions: { permissions: ['SnapshotAPI'], tokenCallback } };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      const acquire = () =>
        service.cora.post('/api/collection/externalExtension/acquireAccessToken/hook', {
          tokenCallback,
          permissions: ['SnapshotAPI'],
        });
      await acquire();
      await service.cora.put('/api/admin/trustedExternalEndpoint/hook', undefined, {
        ...fields,
        id: 'hook',
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'application/json' }],
        tokenLifeTime: 60,
        permissions: { permissions: [], tokenCallback },
      });
      return (await acquire()).status < 300;
    },
  },

  'actions.address-of-the-first-user': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'An action is told the address of the user who triggers it, also when another user did before.',
    kind: 'role',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const addresses = new Map<unknown, unknown>();
      return (areas, call, triggered) => {
        const { kind, payload, recordId } = triggered;
        if (kind !== 'action' || !isContent(payload)) return right(areas, call, triggered);
        const email = addresses.get(recordId) ?? payload['email'];
        addresses.set(recordId, email);
        return right(areas, call, { ...triggered, payload: { ...payload, email } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const body = { kind: 'ribbon' };
      await service.edda.post('/api/space/main/externalAction/action', body);
      await service.emil.post('/api/space/main/externalAction/action', body);
      return at(callsOf(host, 'action')[1]?.json, '/payload/email') !== 'emil@demonstration.example';
    },
  },

  'email.to-the-extension-of-before': {
    source: 'extensions: What the service does',
    breaks: 'Mail goes through the extension that is registered for it, also when another one was before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'foundAddressee', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, reading, type, given) => {
        const key = `${type} ${given.recordId} ${given.registrationId}`;
        const found = known.get(key) ?? (await right(areas, reading, type, given));
        if (type === 'Email') known.set(key, found);
        return found;
      };
    }),
    async shows(service) {
      const { cora, edda } = service;
      const send = () => edda.post('/api/space/main/externalEmail', { to: 'a@b.example', subject: 's', body: 'b' });
      await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await send();
      const id = at((await cora.get('/api/admin/svcExtension')).json, '/data/0/id');
      await cora.delete(`/api/admin/svcExtension/${String(id)}`);
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await send();
      await service.pass(1);
      return callsOf(host, 'email').length === 0;
    },
  },
};

export const eventsMistakes: Batch = {
  'events.again-after-an-update': {
    source: 'extensions: Events 2',
    breaks: 'What was acknowledged is not sent again, not when the registration of its extension is updated either.',
    kind: 'moment',
    variant: (classes) => {
      const latest = new Map<string, Delivered>();
      return together(
        replaces('queue', 'removeDelivery', async (right, areas, writing, delivery, end, outcome) => {
          await right(areas, writing, delivery, end, outcome);
          if (end === 'delivered') latest.set(delivery.registrationId, delivery);
        }),
        replaces('queue', 'resumeDeliveries', async (right, areas, writing, registrationId) => {
          await right(areas, writing, registrationId);
          const delivery = latest.get(registrationId);
          if (delivery !== undefined) await areas.queue.enqueue(writing, delivery);
        }),
      )(classes);
    },
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await changeExtension(service, { hostUri: host.url });
      await service.pass(1);
      return callsOf(host, 'event').length > 1;
    },
  },

  'events.content-of-the-one-before': {
    source: 'extensions: Events 1',
    breaks: 'An event carries the content that is configured for it, and nothing of that of an earlier event.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const contents = new Map<unknown, object>();
      return (areas, call, triggered) => {
        const { kind, payload, recordId } = triggered;
        const own = kind === 'event' ? at(payload, '/contentPayload') : undefined;
        if (!isContent(payload) || !isContent(own)) return right(areas, call, triggered);
        const contentPayload = { ...contents.get(recordId), ...own };
        contents.set(recordId, contentPayload);
        return right(areas, call, { ...triggered, payload: { ...payload, contentPayload } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { one: 1 });
      await service.edda.sendEvent('event', { two: 2 });
      await service.pass(1);
      const contents = callsOf(host, 'event').map((entry) => at(entry.json, '/payload/contentPayload'));
      return contents.some((content) => at(content, '/one') === 1 && at(content, '/two') === 2);
    },
  },

  'events.created-at-the-second-attempt': {
    source: 'extensions: Calls to extensions, row ExternalEvent',
    breaks: 'An event that is acknowledged by 201 is not sent again, also when that was a retry.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isMissed = delivery.attempts > 0 && outcome.kind === 'answered' && outcome.status === 201;
      return right(areas, delivery, policy, isMissed ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 503 }, { status: 201 }], afterwards: 'last' as const }];
      const host = await service.host(() => [{ id: 'event' }], script);
      await service.edda.sendEvent();
      await service.pass(5, 4);
      return callsOf(host, 'event').length > 2;
    },
  },

  'events.deleted-in-a-pause': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also one that waits for the end of a pause.',
    kind: 'moment',
    variant: (classes) => {
      const held = new Set<string>();
      return together(
        replaces('deliveries', 'holdBack', (right, areas, writing, delivery, until) => {
          held.add(delivery.id);
          return right(areas, writing, delivery, until);
        }),
        replaces(
          'queue',
          'cancelDelivery',
          async (right, areas, writing, id) => held.has(id) || (await right(areas, writing, id)),
        ),
      )(classes);
    },
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      const { headers } = await service.edda.sendEvent();
      await service.pass(1);
      await service.edda.delete(headers.get('location') ?? '');
      await service.pass(70, 2);
      return callsOf(host, 'event').length > 1;
    },
  },

  'events.from-the-first-space': {
    source: 'extensions: Events 1',
    breaks: 'The envelope of an event names the space that the event is from, whichever that is.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'event' || !isContent(payload)) return right(areas, call, triggered);
      const [spaceId = ''] = areas.configuration.spaces.keys();
      return right(areas, call, { ...triggered, payload: { ...payload, spaceId } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.post('/api/space/depot/externalEvent', { recordId: 'event', contentPayload: {} });
      await service.pass(1);
      return at(callsOf(host, 'event')[0]?.json, '/payload/spaceId') === 'main';
    },
  },

  'validation.object-of-the-one-before': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'A validation is told the object to validate, also where a batch promotes several.',
    kind: 'combination',
    variant: breaks('validation', 'validationPayload', (right) => {
      const objects = new Map<string, string>();
      return (areas, call, object) => {
        const objectId = objects.get(call.correlationId) ?? object.oid;
        objects.set(call.correlationId, objectId);
        return { ...right(areas, call, object), objectId };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validator]);
      const [one, other] = [await titled(service, 'one'), await titled(service, 'other')];
      const moves = [one, other].map((made) => ({ method: 'PUT', href: movePath(made), headers: versionHeader(1) }));
      await service.edda.batch(moves);
      const ids = callsOf(host, 'validation').map((entry) => at(entry.json, '/payload/objectId'));
      return ids.length > 0 && !ids.includes(other.oid);
    },
  },

  'validation.no-without-a-reason': {
    source: 'extensions: Calls to extensions, row ExternalValidation',
    breaks: 'An object that is found not valid is not promoted, also where the message is an empty text.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      const verdict = right(areas, outcome);
      return verdict.kind === 'invalid' && verdict.message === '' ? { kind: 'valid', message: '' } : verdict;
    }),
    async shows(service) {
      await service.host(() => [validator], always({ status: 200, json: { isValid: false, message: '' } }));
      return (await service.edda.move(await titled(service, 'not valid'), 1)).status < 300;
    },
  },
};

type Delivered = Parameters<Areas['queue']['removeDelivery']>[1];

const validator = {
  id: 'validation',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

function titled({ edda }: Service, title: string) {
  return edda.make('Document', { title });
}

export const tasksMistakes: Batch = {
  'tasks.first-progress-stays': {
    source: 'extensions: Callbacks from an external task, row progress',
    breaks: 'The job shows the message that was reported last.',
    kind: 'moment',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      job.progress === undefined ? right(areas, job, progress) : job,
    ),
    async shows(service) {
      const job = await startTask(service);
      for (const message of ['half', 'whole']) await service.edda.put(`${job}/progress`, undefined, { message });
      return at((await service.edda.get(job)).json, '/progress') !== 'whole';
    },
  },

  'tasks.long-progress-cut': {
    source: 'extensions: External task links, row taskProgress',
    breaks: 'The job shows the message that was reported, all of it.',
    kind: 'value',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, progress.slice(0, 255)),
    ),
    async shows(service) {
      const job = await startTask(service);
      const message = 'progress '.repeat(40);
      await service.edda.put(`${job}/progress`, undefined, { message });
      return at((await service.edda.get(job)).json, '/progress') !== message;
    },
  },

  'tasks.over-when-acknowledged': {
    source: 'extensions: Calls to extensions, row ExternalTask',
    breaks: 'A task goes on after its call was acknowledged, and is over when it says so.',
    kind: 'moment',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      await right(areas, writing, id);
      const job = await jobWith(writing, id);
      if (job?.state === 'Running') await keepJob(writing, { ...job, state: 'Completed' });
    }),
    async shows(service) {
      const job = await startTask(service);
      return (await service.edda.put(`${job}/status/Completed`, undefined, {})).status >= 400;
    },
  },

  'tasks.no-status-behind-progress': {
    source: 'extensions: External task links, row taskStatus',
    breaks: 'A task reports its final status, also when it has reported progress before.',
    kind: 'combination',
    variant: replaces('jobs', 'reportStatus', async (right, areas, call, writing) => {
      if (call.place.progress !== undefined) throw new Refusal(409, 'The job is in progress.');
      return right(areas, call, writing);
    }),
    async shows(service) {
      const job = await startTask(service);
      await service.edda.put(`${job}/progress`, undefined, { message: 'half' });
      return (await service.edda.put(`${job}/status/Completed`, undefined, {})).status >= 400;
    },
  },
};

/** A task that was acknowledged. @returns where its job is */
async function startTask(service: Service): Promise<string> {
  await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
  return scheduleTask(service);
}
