import { jsonOf } from '../../../contract/json.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Callee } from '../../../reference-server/areas/callees.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, changeExtension, claimsIn, reached, registerEndpoint } from '../proofs.ts';
import { at, hostKey, signatureOver } from '../service.ts';

/** Attempts that a delivery has had, where it comes from the queue. */
function attemptsOf(delivery: object): number {
  return 'attempts' in delivery ? Number(delivery.attempts) : 0;
}

/** Calls to extensions and endpoints, and what becomes of them. */
export const callsMistakes: Batch = {
  'metadata.fetched-again-after-a-404': {
    source: 'extensions: Versioning, second sentence',
    breaks: 'Metadata is fetched when an extension is added or updated, and not because a call was answered 404.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'attempt', async (right, areas, delivery, callee, count) => {
      const outcome = await right(areas, delivery, callee, count);
      if (callee !== undefined && 'extension' in callee && outcome.kind === 'answered' && outcome.status === 404)
        await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
      return outcome;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'act', extensionType: 'ExternalAction' }], always({ status: 404 }));
      await service.edda.post('/api/space/main/externalAction/act', { kind: 'ribbon' });
      return callsOf(host, 'metadata').length > 1;
    },
  },

  'envelope.id-in-memory-alone': {
    source: 'extensions: Events 4',
    breaks:
      'The correlation id of the trigger is that of the call, also where the service was started anew in between.',
    kind: 'moment',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const known = new Set<string>();
      return (areas, delivery, callee) => {
        const isUnknown = delivery.kind === 'event' && attemptsOf(delivery) > 0 && !known.has(delivery.id);
        if (!isUnknown) known.add(delivery.id);
        return right(areas, isUnknown ? { ...delivery, envelopeId: delivery.id } : delivery, callee);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }] }]);
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'mine' });
      await reached(host, 1);
      await service.restart();
      await service.pass(3);
      const [, again] = await reached(host, 2);
      return again !== undefined && again.envelope?.id !== 'mine';
    },
  },

  'endpoints.retries-to-one-that-is-off': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'An endpoint that was switched off is not called, also not for what failed there before.',
    kind: 'moment',
    survives: 'What becomes of what is retried when an endpoint is switched off is not said (inactive-queue).',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, delivery) => {
      const callee = await right(areas, reading, delivery);
      const isRetry = callee !== undefined && 'endpoint' in callee && attemptsOf(delivery) > 0;
      return isRetry ? { ...callee, active: true } : callee;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 503 }) });
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'externalEndpoint', { url });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.cora.put('/api/admin/externalEndpoint/hook', undefined, {
        id: 'hook',
        method: 'POST',
        category: 'proof',
        url,
        active: false,
        headers: [{ name: 'content-type', value: 'text/plain' }],
      });
      await service.pass(3);
      return (await reached(host, 2, 500)).length > 1;
    },
  },

  'metadata.endpoint-beside-the-base': {
    source: 'extensions: Extension metadata record, row endpoint',
    breaks: 'The endpoint is relative to hostUri, also where this has a path and the endpoint no slash before it.',
    kind: 'combination',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, delivery) => {
      const callee = await right(areas, reading, delivery);
      if (callee === undefined || !('record' in callee) || callee.record.endpoint.startsWith('/')) return callee;
      return { ...callee, url: new URL(callee.record.endpoint, callee.extension.hostUri).href };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const record = {
        id: 'event',
        version: '1.0.0',
        name: 'event',
        endpoint: 'events',
        extensionType: 'ExternalEvent',
        category: 'proof',
      };
      host.setScript(({ path }) => ({ status: 200, ...(path.endsWith('/svc/extension') && { json: [record] }) }));
      const body = { hostUri: `${host.url}/base/one`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      host.clearJournal();
      await service.edda.sendEvent();
      const [call] = await reached(host, 1);
      return call !== undefined && call.path !== '/base/one/events';
    },
  },

  'rate.no-limit-behind-a-pause': {
    source: 'extensions: Limits, row rate limit',
    breaks: 'After the pause the limit counts anew, and not all that waited goes out at once.',
    kind: 'moment',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) => {
      if (window === undefined || window.pausedUntil === 0 || now < window.pausedUntil)
        return right(areas, window, now, limit);
      if (now >= window.pausedUntil + 60_000) return right(areas, undefined, now, limit);
      return { kind: 'run', window };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 3 }]);
      for (let left = 12; left > 0; left -= 1) await service.edda.sendEvent();
      await reached(host, 3);
      await service.pass(61);
      return (await reached(host, 8, 800)).length > 6;
    },
  },

  'signing.key-of-the-first-mail': {
    source: 'extensions: Authentication 3',
    breaks:
      'A call is signed with the key of the extension, also where another one was registered since its last mail.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const keys = new Map<string, string>();
      return (areas, delivery, callee) => {
        if (delivery.kind !== 'email') return right(areas, delivery, callee);
        const apiKey = keys.get(callee.extension.id) ?? callee.extension.apiKey;
        keys.set(callee.extension.id, apiKey);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const mail = { to: 'a@b.example', subject: 's', body: 'b' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await reached(host, 1);
      const apiKey = Buffer.alloc(64, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      await service.edda.post('/api/space/main/externalEmail', mail);
      const [, second] = await reached(host, 2);
      const [given] = second === undefined ? [] : headerValues(second, 'authorization');
      const path = second?.target.split('?')[0] ?? '';
      return second !== undefined && given !== `Bearer ${signatureOver(path, apiKey)}`;
    },
  },

  'tokens.life-time-of-the-first-call': {
    source: 'extensions: Registered extension, row tokenLifeTime',
    breaks: 'The token is valid for as long as is registered now, also for an extension that was called before.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const times = new Map<string, number>();
      return (areas, delivery, callee) => {
        const { extension, record } = callee;
        const key = `${extension.id} ${record.id}`;
        const tokenLifeTime = times.get(key) ?? extension.tokenLifeTime;
        times.set(key, tokenLifeTime);
        return right(areas, delivery, { ...callee, extension: { ...extension, tokenLifeTime } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await reached(host, 1);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 7 });
      await service.edda.sendEvent();
      const [, second] = await reached(host, 2);
      const claims = claimsIn(second);
      return second !== undefined && Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 420;
    },
  },

  'extensions.mail-to-one-that-is-off': {
    source: 'extensions: Registered extension, row active',
    breaks: 'An extension that is switched off is not called, also not with a mail.',
    kind: 'place',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, delivery) => {
      const callee: Callee | undefined = await right(areas, reading, delivery);
      if (callee === undefined || !('record' in callee) || callee.record.extensionType !== 'Email') return callee;
      return { ...callee, active: true };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await changeExtension(service, { hostUri: host.url, active: false });
      await service.edda.post('/api/space/main/externalEmail', { to: 'a@b.example', subject: 's', body: 'b' });
      return (await reached(host, 1, 500)).length > 0;
    },
  },

  'retries.held-back-counts-as-tried': {
    source: 'extensions: Limits, retries, row 1',
    breaks: 'There are five retries, also where the limit held one of them back.',
    kind: 'combination',
    survives: 'What a pause does to a retry that is due is not said (rate-retries-counted).',
    variant: replaces('deliveries', 'holdBack', async (right, areas, writing, delivery, until) => {
      if (delivery.attempts > 0) await writing.scheduleDelivery(delivery.id, delivery.attempts + 1, until);
      await right(areas, writing, delivery, until);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 2 }], always({ status: 503 }));
      await service.edda.sendEvent();
      await reached(host, 1);
      for (let step = 0; step < 40; step += 1) await service.pass(15);
      return (await reached(host, 6, 500)).length < 6;
    },
  },

  'endpoints.trusted-without-authorization': {
    source: 'extensions: Registered external endpoint, row headers',
    breaks: 'The configured headers are set on the call, also one for authorization at a trusted endpoint.',
    kind: 'combination',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (callee.endpoint.kind !== 'trustedExternalEndpoint') return request;
      const headers = Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'authorization');
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', {
        url: `${host.url}/hook`,
        headers: [
          { name: 'Content-Type', value: 'application/json' },
          { name: 'Authorization', value: 'ApiKey of-the-other-side' },
        ],
      });
      await service.edda.sendToEndpoint();
      const [call] = await reached(host, 1);
      return call !== undefined && headerValues(call, 'authorization').length === 0;
    },
  },

  'events.nulls-left-out': {
    source: 'extensions: Payloads by extension type, row ExternalEvent',
    breaks: 'The content is any JSON, a member that is null included.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const delivery = right(areas, call, triggered);
      if (delivery.kind !== 'event') return delivery;
      const text = JSON.stringify(delivery.payload, (_name, value: unknown) => (value === null ? undefined : value));
      return { ...delivery, payload: JSON.parse(text) as unknown };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { owner: null, title: 't' });
      const [call] = await reached(host, 1);
      const content = at(call?.envelope?.payload, '/contentPayload');
      return isContent(content) && !('owner' in content);
    },
  },

  'endpoints.text-that-is-json-written-anew': {
    source: 'extensions: text below Registered external endpoint',
    breaks: 'The body is what was configured, letter by letter, also a text that happens to be JSON.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const value = request.body === undefined ? undefined : jsonOf(request.body);
      return value === undefined ? request : { ...request, body: JSON.stringify(value) };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      const text = '{ "a": 1.50 }\n';
      await service.edda.sendToEndpoint('hook', text);
      const [call] = await reached(host, 1);
      return call !== undefined && Buffer.from(call.body).toString() !== text;
    },
  },

  'rate.retries-in-the-pause': {
    source: 'extensions: Registered external endpoint, row rateLimitNumberOfExecutions',
    breaks: 'In the pause no request goes to the endpoint, a retry as little as a new one.',
    kind: 'combination',
    survives: 'Whether a pause holds up a retry that is due is not said (rate-retries-counted).',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      return attemptsOf(delivery) > 0 ? { ...policy, rateLimit: Infinity, rateKey: `${policy.rateKey} again` } : policy;
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'event', rateLimitNumberOfExecutions: 2 }],
        [{ steps: [{ status: 503 }] }],
      );
      for (let left = 3; left > 0; left -= 1) await service.edda.sendEvent();
      await reached(host, 2);
      await service.pass(3);
      return (await reached(host, 3, 500)).length > 2;
    },
  },

  'tokens.of-the-first-attempt': {
    source: 'extensions: Registered trusted external endpoint, row tokenLifeTime',
    breaks:
      'The token that an endpoint gets is valid for the registered time, also at a retry that comes later than that.',
    kind: 'moment',
    survives: 'Whether a late attempt carries a token that is still good is not said (token-on-retry).',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const urls = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const url = urls.get(delivery.id) ?? (await right(areas, delivery, callee));
        urls.set(delivery.id, url);
        return url;
      };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 503 }) });
      await registerEndpoint(service, 'trustedExternalEndpoint', {
        url: `${host.url}/hook`,
        tokenLifeTime: 1,
        rateLimitNumberOfExecutions: 100,
      });
      await service.edda.sendToEndpoint();
      for (const [index, seconds] of [2, 4, 8, 16, 32].entries()) {
        await reached(host, index + 1);
        await service.pass(seconds + 1);
      }
      const targets = (await reached(host, 6)).map(({ target }) => target);
      return targets.length === 6 && targets[0] === targets[5];
    },
  },
};
