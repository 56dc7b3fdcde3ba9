import { jsonOf } from '../../../contract/json.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, registerEndpoint } from '../proofs.ts';
import { at, hostKey, movePath, signatureOver } from '../service.ts';

const validator = {
  id: 'validator',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

/** Calls to extensions and endpoints, and what becomes of them. */
export const callsMistakes: Batch = {
  'retries.never-for-ever-after-408': {
    source: 'extensions: Errors 1; Extension metadata record, retryForever',
    breaks: 'With retryForever every transient error is retried for ever, 408 too.',
    kind: 'combination',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isTimeout = outcome.kind === 'answered' && outcome.status === 408;
      return right(areas, delivery, isTimeout ? { ...policy, retries: Math.min(policy.retries, 5) } : policy, outcome);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', retryForever: true }], always({ status: 408 }));
      await service.edda.sendEvent();
      for (const seconds of [1, 3, 5, 9, 17, 33, 65]) await service.pass(seconds);
      return callsTo(host).length === 6;
    },
  },

  'retries.another-spelling-of-the-signature': {
    source: 'extensions: Authentication 2 and 3',
    breaks: 'Plus and slash are replaced in the signature, in that of a retry too.',
    kind: 'combination',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      const { Authorization = '' } = request.headers;
      if (attempt === 1 || Authorization === '') return request;
      const spelled = Authorization.replaceAll('-', '+').replaceAll('_', '/');
      return { ...request, headers: { ...request.headers, Authorization: spelled } };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await service.pass(1, 3);
      const [, retry] = callsTo(host);
      if (retry === undefined) return false;
      return headerValues(retry, 'authorization')[0] !== `Bearer ${signatureOver('/event', hostKey)}`;
    },
  },

  'retries.share-one-deadline': {
    source: 'extensions: Extension metadata record, requestTimeout',
    breaks: 'Each attempt has the time of requestTimeout, whatever those before it took.',
    kind: 'combination',
    variant: breaks('requests', 'requestFor', (right) => {
      const starts = new Map<string, number>();
      return async (areas, delivery, callee, attempt) => {
        const now = areas.clock.now();
        const start = starts.get(delivery.id) ?? now;
        starts.set(delivery.id, start);
        const request = await right(areas, delivery, callee, attempt);
        return { ...request, timeoutMs: Math.max(1, request.timeoutMs - (now - start)) };
      };
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'event', requestTimeout: 3 }],
        [{ steps: [{ status: 503 }, { never: true }], afterwards: 'last' }],
      );
      await service.edda.sendEvent();
      await service.pass(1, 8);
      return callsTo(host).length > 2;
    },
  },

  'rate.pause-that-begins-anew': {
    source: 'extensions: Limits, rate limit',
    breaks: 'The pause is one minute long, whatever comes during it.',
    kind: 'combination',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      if (window === undefined || now >= window.pausedUntil) return right(areas, window, now, limit);
      const until = now + 60_000;
      return { kind: 'hold', window: { ...window, pausedUntil: until }, until, starts: false };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      for (const seconds of [1, 29, 35]) {
        await service.edda.sendEvent();
        await service.pass(seconds);
      }
      return callsTo(host).length < 2;
    },
  },

  'rate.forgotten-at-a-restart': {
    source: 'extensions: Limits, rate limit',
    breaks: 'So many executions are allowed a minute, also where the service starts again meanwhile.',
    kind: 'moment',
    survives: 'What of the queue, and of what it counts, outlives a restart is not said (queue-restart): recorded.',
    variant: breaks('policies', 'rateDecision', (right) => {
      let begun: number | undefined;
      return (areas, window, now, limit) => {
        begun ??= now + 1;
        return right(areas, window !== undefined && window.startedAt < begun - 1 ? undefined : window, now, limit);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      await service.edda.sendEvent();
      await service.pass(2);
      await service.restart();
      await service.edda.sendEvent();
      await service.pass(2);
      return callsTo(host).length > 1;
    },
  },

  'events.failed-ones-come-back': {
    source: 'extensions: Events 3',
    breaks: 'An event whose delivery has failed is out of the queue, also when its extension is updated.',
    kind: 'combination',
    variant: replaces('queue', 'removeDelivery', async (right, areas, writing, delivery, end, outcome) => {
      if (end !== 'failed' || delivery.kind !== 'event') return right(areas, writing, delivery, end, outcome);
      await writing.parkDelivery(delivery.id);
      await areas.deliveryEnds.deliveryEnded(writing, delivery, end, outcome);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 400 }));
      await service.edda.sendEvent();
      await service.pass(1);
      await changeExtension(service, { hostUri: host.url });
      await service.pass(1, 10);
      return callsTo(host).length > 1;
    },
  },

  'email.other-ends-of-lines': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The body of a mail is the text that was composed, its line ends included.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'email' || !isContent(payload)) return right(areas, call, triggered);
      const body = String(payload['body']).replaceAll('\n', '\r\n');
      return right(areas, call, { ...triggered, payload: { ...payload, body } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await service.edda.post('/api/space/main/externalEmail', { to: 'a@b.example', subject: 's', body: 'one\ntwo' });
      await service.pass(1);
      return at(callsTo(host)[0]?.envelope?.payload, '/body') !== 'one\ntwo';
    },
  },

  'actions.list-of-one-is-unpacked': {
    source: 'extensions: Calls to extensions, row ExternalAction; Errors 4',
    breaks: 'The responses of a batch are an array, for a batch of one operation too.',
    kind: 'value',
    survives: 'What whoever runs an action gets of its answer is not shown (trigger-action-binding): recorded.',
    variant: replaces('triggers', 'runAction', async (right, areas, call) => {
      const answer = await right(areas, call);
      const json = jsonOf(String(answer.raw ?? ''));
      return Array.isArray(json) && json.length === 1 ? { ...answer, raw: JSON.stringify(json[0]) } : answer;
    }),
    async shows(service) {
      await service.host(
        () => [{ id: 'action', extensionType: 'ExternalAction' }],
        always({ status: 200, json: [{ statusCode: 204, location: '/x', svcUOIVersion: 2 }] }),
      );
      const { json } = await service.edda.post('/api/space/main/externalAction/action', {
        kind: 'form',
        requestedRoute: '/api/space/main/batch',
        httpVerb: 'POST',
        contentPayload: [{ method: 'GET', href: '/x' }],
      });
      return !Array.isArray(json);
    },
  },

  'validation.retry-without-context': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'A validation in a context names it, in its retries too.',
    kind: 'combination',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const { kind, payload } = delivery;
      if (kind !== 'validation' || attempt === 1 || !isContent(payload)) return right(areas, delivery, callee, attempt);
      const { contextObjectId: _lost, ...rest } = payload;
      return right(areas, { ...delivery, payload: rest }, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(() => [validator], [{ steps: [{ status: 503 }] }]);
      const context = await service.edda.make('Part', { name: 'p' });
      const made = await service.edda.make('Document', { title: 't' });
      const promoted = service.edda.put(`${movePath(made)}?contextObjectId=${context.oid}`, 1);
      await service.pass(1, 4);
      await promoted;
      const retry = callsOf(host, 'validation')[1]?.envelope?.payload;
      return retry !== undefined && at(retry, '/contextObjectId') === undefined;
    },
  },

  'endpoint.address-in-small-letters': {
    source: 'extensions: Registered external endpoint (simple), url',
    breaks: 'The registered address is called as it is spelled, capitals in its path included.',
    kind: 'value',
    variant: replaces('requests', 'endpointUrl', (right, areas, delivery, callee) =>
      right(areas, delivery, { ...callee, endpoint: { ...callee.endpoint, url: callee.endpoint.url.toLowerCase() } }),
    ),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/Hooks/New` });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host)[0]?.path === '/hooks/new';
    },
  },
};
