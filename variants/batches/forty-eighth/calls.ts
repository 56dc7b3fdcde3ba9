import { jsonOf } from '../../../contract/json.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { storedStates } from '../../../reference-server/areas/soft-type.ts';
import { stateKey } from '../../../reference-server/areas/validation.ts';
import type { Verdict } from '../../../reference-server/http/call.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, claimsIn, registerEndpoint } from '../proofs.ts';
import { at, hostKey, listAt, movePath, type Service, signatureOver } from '../service.ts';

const validator = {
  id: 'validator',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

/** Calls to extensions and endpoints, and what becomes of them. */
export const callsMistakes: Batch = {
  'token.days-do-not-count': {
    source: 'extensions: Registered extension, tokenLifeTime',
    breaks: 'The token is valid for so many minutes, more than a day of them too.',
    kind: 'value',
    variant: replaces('requests', 'impersonationToken', (right, areas, userName, minutes) =>
      right(areas, userName, minutes % 1440),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 1500 });
      await service.edda.sendEvent();
      await service.pass(1);
      const claims = claimsIn(callsOf(host, 'event')[0]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 90_000;
    },
  },

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

  'rate.each-user-has-a-limit': {
    source: 'extensions: Registered trusted external endpoint; Limits, rate limit',
    breaks: 'The limit is one of the endpoint, also of a trusted one that two users have called.',
    kind: 'role',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      const isTrusted = 'endpoint' in callee && callee.endpoint.kind === 'trustedExternalEndpoint';
      return isTrusted ? { ...policy, rateKey: `${policy.rateKey} ${delivery.userName}` } : policy;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const fields = { url: `${host.url}/hook`, rateLimitNumberOfExecutions: 1 };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      for (const user of [service.edda, service.emil]) await user.sendToEndpoint();
      await service.pass(1, 2);
      return callsTo(host).length > 1;
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

  'events.deleted-too-late-to-be-stopped': {
    source: 'extensions: Events 3',
    breaks: 'A deleted event is cancelled, also between two of its later attempts.',
    kind: 'moment',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const attempts = (await writing.delivery(id))?.attempts ?? 0;
      return attempts > 1 ? false : right(areas, writing, id);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 503 }));
      const event = await service.edda.sendEvent();
      await service.pass(1, 4);
      const before = callsTo(host).length;
      await service.edda.delete(event.headers.get('location') ?? '');
      await service.pass(5, 4);
      return before > 1 && callsTo(host).length > before;
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

  'correlation.thirty-six-characters': {
    source: 'extensions: Call envelope, id; Events 4',
    breaks: 'The correlation id of the trigger is reused whole, one that is longer than a GUID too.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => right(areas, call).slice(0, 36)),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const id = 'c'.repeat(48);
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': id });
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.id !== id;
    },
  },

  'events.empty-objects-become-lists': {
    source: 'extensions: Payloads by extension type, row ExternalEvent',
    breaks: 'The content payload is the JSON that is configured, an empty object in it included.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) =>
      right(areas, call, triggered.kind === 'event' ? { ...triggered, payload: inPhp(triggered.payload) } : triggered),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { inner: {} });
      await service.pass(1);
      return Array.isArray(at(callsTo(host)[0]?.envelope?.payload, '/contentPayload/inner'));
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

  'actions.version-of-the-first-time': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'svcUOIVersion is the version that the selected object has now.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const versions = new Map<unknown, unknown>();
      return (areas, call, triggered) => {
        const { kind, payload } = triggered;
        if (kind !== 'action' || !isContent(payload) || payload['objectId'] === undefined)
          return right(areas, call, triggered);
        const svcUOIVersion = versions.get(payload['objectId']) ?? payload['svcUOIVersion'];
        versions.set(payload['objectId'], svcUOIVersion);
        return right(areas, call, { ...triggered, payload: { ...payload, svcUOIVersion } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const made = await service.edda.make('Document', { title: 't' });
      await runRibbon(service, made.oid);
      await service.edda.merge(made, 1, { note: 'n' });
      await runRibbon(service, made.oid);
      return at(callsOf(host, 'action')[1]?.envelope?.payload, '/svcUOIVersion') !== 2;
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

  'validation.verdict-that-stays': {
    source: 'extensions: Calls to extensions, row ExternalValidation',
    breaks: 'A promote asks the extension, also where it found the same object not valid before.',
    kind: 'copy',
    variant: breaks('validation', 'verdictOn', (right) => {
      const kept = new Map<string, Verdict>();
      return async (areas, call, object, validators) => {
        const key = `${stateKey(object)} ${JSON.stringify(storedStates(object))}`;
        const verdict = kept.get(key) ?? (await right(areas, call, object, validators));
        if (verdict.kind === 'invalid') kept.set(key, verdict);
        return verdict;
      };
    }),
    async shows(service) {
      const steps = [false, true].map((isValid) => ({ status: 200, json: { isValid, message: 'm' } }));
      await service.host(() => [validator], [{ steps, afterwards: 'last' }]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.move(made, 1);
      return (await service.edda.move(made, 1)).status >= 400;
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

function runRibbon({ edda }: Service, objectId: string) {
  return edda.post('/api/space/main/externalAction/action', { kind: 'ribbon', objectId });
}

/** A value as an array of PHP takes it along. */
function inPhp(value: unknown): unknown {
  if (Array.isArray(value)) return listAt(value, '').map(inPhp);
  if (!isContent(value)) return value;
  const members = Object.entries(value);
  return members.length === 0 ? [] : Object.fromEntries(members.map(([name, inner]) => [name, inPhp(inner)]));
}
