import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, registerEndpoint } from '../proofs.ts';
import { at, type Service } from '../service.ts';
import { always, passSteps, sendEvent } from './scenes.ts';

export const deliveryMistakes: Batch = {
  'retries.begin-anew': {
    source: 'extensions: Errors 2',
    breaks: 'Who retries for ever waits five minutes each time, however often that was.',
    kind: 'moment',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, attempt) => {
      return right(areas, attempt > 12 ? attempt - 12 : attempt);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', retryForever: true }], always(503));
      await sendEvent(service);
      for (let look = 0; look < 200 && callsTo(host).length < 13; look += 1) await service.pass(20);
      await passSteps(service, 8, 5);
      return callsTo(host).length > 13;
    },
  },

  'retries.once-transient-for-good': {
    source: 'extensions: Errors 1',
    breaks: 'An error that is not transient ends the retries, also where one before it was.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isLater = delivery.attempts > 0 && outcome.kind === 'answered' && outcome.status >= 400;
      return right(areas, delivery, policy, isLater ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 503 }, { status: 400 }], afterwards: 'last' as const }];
      const host = await service.host(() => [{ id: 'event' }], script);
      await sendEvent(service);
      await passSteps(service, 12, 2);
      return callsTo(host).length > 2;
    },
  },

  'retries.for-ever-means-every-error': {
    source: 'extensions: Registered external endpoint',
    breaks: 'Errors that are not transient are not retried, not even for ever.',
    kind: 'combination',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isFinal = policy.retries === Infinity && outcome.kind === 'answered' && outcome.status >= 400;
      return right(areas, delivery, policy, isFinal ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', retryForever: true }], always(400));
      await sendEvent(service);
      await passSteps(service, 5);
      return callsTo(host).length > 1;
    },
  },

  'retries.not-implemented': {
    source: 'extensions: Errors 1',
    breaks: 'Any status from 500 on is a transient error, 501 as well.',
    kind: 'value',
    variant: replaces('policies', 'isTransient', (right, areas, outcome) => {
      return right(areas, outcome) && !(outcome.kind === 'answered' && outcome.status === 501);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always(501));
      await sendEvent(service);
      await passSteps(service, 5);
      return callsTo(host).length < 2;
    },
  },

  'events.acknowledged-in-words': {
    source: 'extensions: Events 2',
    breaks: 'Status 200 is success, whatever else the answer says, and such an event is not sent again.',
    kind: 'value',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isDoubted = outcome.kind === 'answered' && outcome.status === 200 && /^[^{["]/.test(outcome.body);
      return right(areas, delivery, policy, isDoubted ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 200, text: 'received' }], afterwards: 'last' as const }];
      const host = await service.host(() => [{ id: 'event' }], script);
      await sendEvent(service);
      await passSteps(service, 5);
      return callsTo(host).length > 1;
    },
  },

  'events.payload-of-the-one-before': {
    source: 'extensions: Events 1',
    breaks: 'The payload of an event carries what was configured for it, and nothing of the event before.',
    kind: 'moment',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const kept = new Map<string | undefined, object>();
      return (areas, call, triggered) => {
        const { kind, payload, recordId } = triggered;
        if (kind !== 'event' || !isContent(payload) || !isContent(payload['contentPayload']))
          return right(areas, call, triggered);
        const contentPayload = { ...kept.get(recordId), ...payload['contentPayload'] };
        kept.set(recordId, contentPayload);
        return right(areas, call, { ...triggered, payload: { ...payload, contentPayload } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await sendEvent(service, 'event', { one: 1 });
      await sendEvent(service, 'event', { other: 2 });
      await passSteps(service, 2);
      return callsTo(host).some(({ json }) => Object.keys(Object(at(json, '/payload/contentPayload'))).length > 1);
    },
  },

  'metadata.again-after-a-refusal': {
    source: 'extensions: Versioning',
    breaks: 'Metadata is asked for when an extension is added or updated, and not when a call finds nothing there.',
    kind: 'moment',
    variant: replaces('deliveries', 'recordOutcome', async (right, areas, writing, attempt) => {
      await right(areas, writing, attempt);
      const { callee, outcome, delivery } = attempt;
      if ('extension' in callee && outcome.kind === 'answered' && outcome.status === 404)
        await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ when: { kind: 'event' }, steps: [{ status: 404 }] }]);
      await sendEvent(service);
      await passSteps(service, 3);
      return host.entries(({ kind }) => kind === 'metadata').length > 1;
    },
  },

  'endpoints.text-written-anew': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The body of a call is what was configured, also where it is JSON with spaces in it.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const { body, ...request } = await right(areas, delivery, callee);
      return body === undefined ? request : { ...request, body: compact(body) };
    }),
    shows: async (service) => (await bodyAtEndpoint(service, '{ "amount": 1.0 }')) !== '{ "amount": 1.0 }',
  },

  'endpoints.id-taken-for-a-number': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The id of an endpoint is a text: 007 is another one than 7.',
    kind: 'value',
    variant: replaces('registry', 'registrationOf', async (right, areas, reading, id) => {
      const asNumber = /^\d+$/.test(id) ? String(Number(id)) : id;
      return (await right(areas, reading, asNumber)) ?? right(areas, reading, id);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      for (const id of ['7', '007'])
        await registerEndpoint(service, 'externalEndpoint', { id, url: `${host.url}/at-${id}` });
      await service.edda.post('/api/space/main/externalEvent', { endpointId: '007', contentPayload: {} });
      await passSteps(service, 2);
      return callsTo(host).some(({ path }) => path === '/at-7');
    },
  },

  'endpoints.token-behind-a-query': {
    source: 'extensions: Authentication 6',
    breaks: 'A simple endpoint gets no access token, whatever its address looks like.',
    kind: 'value',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = await right(areas, delivery, callee);
      if (callee.endpoint.kind !== 'externalEndpoint' || !url.includes('?')) return url;
      return `${url}&access_token=${await areas.requests.impersonationToken(delivery.userName, 60)}`;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook?key=1` });
      await service.edda.post('/api/space/main/externalEvent', { endpointId: 'hook', contentPayload: {} });
      await passSteps(service, 2);
      return callsTo(host).some(({ target }) => target.includes('access_token'));
    },
  },

  'registration.by-an-editor': {
    source: 'extensions: What the service does',
    breaks: 'Only a Collection Administrator registers endpoints.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isOpen = call.method === 'POST' && call.url.startsWith('/api/admin/externalEndpoint');
      const spaces = [...areas.configuration.spaces.values()];
      if (isOpen && spaces.some((space) => areas.auth.mayUse(user, space, 'POST'))) return;
      right(areas, user, access, call);
    }),
    async shows(service) {
      const asEditor = { ...service, cora: service.edda };
      const url = 'http://127.0.0.1:9/hook';
      return (await registerEndpoint(asEditor, 'externalEndpoint', { url })).status < 400;
    },
  },
};

/** The JSON without spaces, or the text as it is. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** What an endpoint gets for an event with this content; the content itself while it gets nothing. */
async function bodyAtEndpoint(service: Service, contentPayload: string): Promise<string> {
  const host = await service.host(() => []);
  await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
  await service.edda.post('/api/space/main/externalEvent', { endpointId: 'hook', contentPayload });
  await passSteps(service, 2);
  const [entry] = callsTo(host);
  return entry === undefined ? contentPayload : Buffer.from(entry.body).toString();
}
