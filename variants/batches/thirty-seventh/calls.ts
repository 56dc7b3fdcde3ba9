import { createHash } from 'node:crypto';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, changeExtension, reached, registerEndpoint } from '../proofs.ts';
import { at } from '../service.ts';

export const callsMistakes: Batch = {
  'calls.correlation-of-the-request-before': {
    source: 'core: Events',
    breaks: 'A call has the correlation id of the request that triggered it, not that of the one before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'envelopeIdOf', (right) => {
      const kept = new Map<string, string>();
      return (areas, call) => {
        if (!call.correlationGiven) return kept.get(call.user.name) ?? right(areas, call);
        kept.set(call.user.name, call.correlationId);
        return right(areas, call);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const given = '5f1d0d2e-8a4f-4e0e-9f0a-3c1b2a4d5e6f';
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': given });
      await service.edda.sendEvent('event', { second: true });
      await service.pass(1);
      const calls = await reached(host, 2);
      return calls.filter(({ envelope }) => envelope?.id === given).length === 2;
    },
  },

  'calls.third-header-of-a-trusted-endpoint': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has all fields of the simple one: each of its headers is set on the call.',
    kind: 'place',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (callee.endpoint.kind === 'externalEndpoint') return request;
      const headers = Object.entries(request.headers ?? {});
      return { ...request, headers: Object.fromEntries(headers.slice(0, 2)) };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const headers = ['content-type', 'x-one', 'x-two'].map((name) => ({ name, value: 'application/json' }));
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, headers });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [entry] = await reached(host, 1);
      return entry !== undefined && headerValues(entry, 'x-two').length === 0;
    },
  },

  'calls.batch-of-a-form-by-roles': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A form that sends a batch has the array as its payload, whatever roles its user has.',
    kind: 'role',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { payload } = triggered;
      const content = at(payload, '/contentPayload');
      const roles = areas.auth.rolesOf(call.user, call.space);
      if (roles.length < 2 || !Array.isArray(content)) return right(areas, call, triggered);
      return right(areas, call, { ...triggered, payload: { ...(payload as object), contentPayload: { ...content } } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      await service.emil.post('/api/space/main/externalAction/action', {
        kind: 'form',
        requestedRoute: '/api/space/main/batch',
        httpVerb: 'POST',
        contentPayload: [{ method: 'GET', href: '/api/space/main/softtype/one' }],
      });
      const [entry] = callsOf(host, 'action');
      return entry !== undefined && !Array.isArray(at(entry.json, '/payload/contentPayload'));
    },
  },

  'calls.event-with-the-content-of-another': {
    source: 'extensions: Events 1',
    breaks: 'Each event is delivered, also one that says what another said that is queued still.',
    kind: 'place',
    variant: breaks('queue', 'enqueue', (right) => {
      const queued = new Map<string, string>();
      return async (areas, writing, delivery) => {
        const content = JSON.stringify(at(delivery.payload, '/contentPayload') ?? '');
        const digest = createHash('md5').update(`${delivery.recordId} ${delivery.userName} ${content}`).digest('hex');
        const known = await writing.delivery(queued.get(digest) ?? '');
        if (delivery.kind === 'event' && known !== undefined && known.attempts > 0) return true;
        queued.set(digest, delivery.id);
        return right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }] }]);
      await service.edda.sendEvent('event', { text: 'same' });
      await service.pass(1);
      await reached(host, 1);
      await service.edda.sendEvent('event', { text: 'same' });
      await service.pass(3, 4);
      return (await reached(host, 3, 1500)).length < 3;
    },
  },

  'calls.update-that-changes-nothing': {
    source: 'extensions: Versioning',
    breaks: 'Metadata is fetched when an extension is updated, also with the fields that it has already.',
    kind: 'copy',
    variant: breaks('metadata', 'fetchMetadata', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, extension, correlationId) => {
        const key = JSON.stringify(extension, Object.keys(extension).toSorted());
        const answer = kept.get(key) ?? (await right(areas, extension, correlationId));
        kept.set(key, answer);
        return answer;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url });
      await changeExtension(service, { hostUri: host.url });
      return host.entries(({ kind }) => kind === 'metadata').length < 3;
    },
  },
};
