import { deliveryRetries } from '../../../contract/limits.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { headerValues, textOf } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, logged, reached, registerEndpoint } from '../proofs.ts';
import { at, hostKey, listAt, signatureOver } from '../service.ts';

const validator = {
  id: 'check',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
} as const;

const action = { id: 'act', extensionType: 'ExternalAction' } as const;
const actionPath = '/api/space/main/externalAction/act';

export const callsMistakes: Batch = {
  'endpoint.query-spelled-anew': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to the query that the address has, which stays as it is.',
    kind: 'combination',
    survives:
      'extensions: Registered trusted external endpoint: the parameters are kept with their values; how their characters are encoded is not said.',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = await right(areas, delivery, callee);
      const { origin, pathname, searchParams } = new URL(url);
      return callee.endpoint.kind === 'externalEndpoint' ? url : `${origin}${pathname}?${searchParams}`;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook?to=a%20b`;
      await registerEndpoint(service, 'trustedExternalEndpoint', { url });
      await service.edda.sendToEndpoint();
      const [call] = await reached(host, 1);
      return call !== undefined && !call.target.startsWith('/hook?to=a%20b&');
    },
  },

  'endpoint.text-as-json-at-the-second-try': {
    source: 'extensions: text below Registered external endpoint (simple)',
    breaks: 'The content of a call is the one that is configured, also at a retry.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const isText = attempt > 1 && 'endpoint' in callee && typeof delivery.payload === 'string';
      return right(
        areas,
        isText ? { ...delivery, payload: JSON.stringify(delivery.payload) } : delivery,
        callee,
        attempt,
      );
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: [{ steps: [{ status: 503 }] }] });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint('hook', 'plain text');
      await reached(host, 1);
      await service.pass(2, 4);
      const [, second] = await reached(host, 2);
      return second !== undefined && textOf(second.body) !== 'plain text';
    },
  },

  'endpoint.trusted-one-is-given-up': {
    source: 'extensions: Registered trusted external endpoint; Errors 1',
    breaks: 'A trusted endpoint that says so is retried for ever as well.',
    kind: 'role',
    variant: replaces('policies', 'policyOf', (right, areas, callee, delivery) => {
      const policy = right(areas, callee, delivery);
      const isTrusted = 'endpoint' in callee && callee.endpoint.kind === 'trustedExternalEndpoint';
      return isTrusted ? { ...policy, retries: deliveryRetries } : policy;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 503 }) });
      const fields = { url: `${host.url}/hook`, retryForever: true, rateLimitNumberOfExecutions: 1000 };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.pass(65, 12);
      return (await reached(host, 7, 1000)).length < 7;
    },
  },

  'action.short-of-time': {
    source: 'extensions: Extension metadata record, row requestTimeout',
    breaks: 'A record without a time limit has 100 seconds, also that of an action.',
    kind: 'place',
    variant: replaces('callees', 'requestTimeoutOf', (right, areas, record) =>
      record.extensionType === 'ExternalAction' ? (record.requestTimeout ?? 30) : right(areas, record),
    ),
    async shows(service) {
      const host = await service.host(() => [action], always({ never: true }));
      const asked = service.edda.post(actionPath, { kind: 'ribbon' });
      await reached(host, 1);
      await service.pass(35);
      const patience = new Promise<false>((resolve) => void setTimeout(resolve, 800, false));
      const hasEnded = await Promise.race([asked.then(() => true), patience]);
      await service.pass(100);
      await asked;
      return hasEnded;
    },
  },

  'action.version-at-the-first-time': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'An action is told the version of the selected object, also at the second time, when it has another one.',
    kind: 'moment',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const versions = new Map<string, unknown>();
      return (areas, call, triggered) => {
        const delivery = right(areas, call, triggered);
        const { payload } = delivery;
        if (delivery.kind !== 'action' || !isContent(payload) || payload['objectId'] === undefined) return delivery;
        const key = String(payload['objectId']);
        if (!versions.has(key)) versions.set(key, payload['svcUOIVersion']);
        return { ...delivery, payload: { ...payload, svcUOIVersion: versions.get(key) } };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [action]);
      const made = await service.edda.make('Document', { title: 't' });
      const body = { kind: 'ribbon', objectId: made.oid };
      await service.edda.post(actionPath, body);
      await service.edda.merge(made, 1, { title: 'new' });
      await service.edda.post(actionPath, body);
      return at(callsOf(host, 'action')[1]?.envelope?.payload, '/svcUOIVersion') === 1;
    },
  },

  'action.context-that-is-selected': {
    source: 'extensions: text on the action content payload',
    breaks: 'What is selected is named, also where it is the object whose module it is.',
    kind: 'value',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, reading, body, selected) => {
      const isContext = selected !== undefined && body['contextObjectId'] === selected.oid;
      return right(areas, call, reading, body, isContext ? undefined : selected);
    }),
    async shows(service) {
      const host = await service.host(() => [action]);
      const { oid } = await service.edda.make('Document', { title: 't' });
      await service.edda.post(actionPath, { kind: 'ribbon', objectId: oid, contextObjectId: oid });
      const content = at(callsOf(host, 'action')[0]?.envelope?.payload, '/contentPayload');
      return at(content, '/contextObject/$oid') === oid && at(content, '/selectedObject') === undefined;
    },
  },

  'action.form-of-one-operation': {
    source: 'extensions: text on the action content payload',
    breaks: 'The payload of a form is what the service would have sent, also a batch of one operation.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const { contentPayload } = body;
      const [only, ...more] = Array.isArray(contentPayload) ? contentPayload : [];
      return right(areas, isContent(only) && more.length === 0 ? { ...body, contentPayload: only } : body);
    }),
    async shows(service) {
      const host = await service.host(() => [action]);
      await service.edda.post(actionPath, {
        kind: 'form',
        requestedRoute: '/api/space/main/batch',
        httpVerb: 'POST',
        contentPayload: [{ method: 'GET', href: '/api/space/main/softtype/o' }],
      });
      return !Array.isArray(at(callsOf(host, 'action')[0]?.envelope?.payload, '/contentPayload'));
    },
  },

  'validation.context-of-the-one-before': {
    source: 'extensions: Payloads by extension type, row ExternalValidation',
    breaks: 'A context object is named only where the module has one, whatever was validated before.',
    kind: 'copy',
    variant: breaks('validation', 'validationPayload', (right) => {
      const contexts = new Map<string, string>();
      return (areas, call, object) => {
        const context = call.query.get('contextObjectId') ?? contexts.get(call.user.name);
        if (context === undefined) return right(areas, call, object);
        contexts.set(call.user.name, context);
        return { ...right(areas, call, object), contextObjectId: context };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validator]);
      const { oid } = await service.edda.make('Document', { title: 't' });
      const made = await service.edda.make('Document', { title: 'other' });
      await service.edda.post(`/api/space/main/shareValidation/${oid}?contextObjectId=${made.oid}`, {});
      await service.edda.move(made, 1);
      return at(callsOf(host, 'validation').at(-1)?.envelope?.payload, '/contextObjectId') === made.oid;
    },
  },

  'validation.malformed-after-a-verdict': {
    source: 'extensions: Errors 5',
    breaks: 'A malformed answer is an error of the validation, also where the same object was found valid before.',
    kind: 'moment',
    variant: breaks('validation', 'askValidator', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call, object, asked) => {
        const key = `${asked.recordId} ${object.oid}`;
        const verdict = await right(areas, call, object, asked);
        if (verdict.kind === 'error') return known.get(key) ?? verdict;
        known.set(key, verdict);
        return verdict;
      };
    }),
    async shows(service) {
      const steps = [
        { status: 200, json: { isValid: true, message: '' } },
        { status: 200, text: 'nonsense' },
      ];
      await service.host(() => [validator], [{ steps }]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.move(made, 1);
      return (await service.edda.move(made, 2)).status === 204;
    },
  },

  'envelope.no-batch-for-the-token': {
    source: 'extensions: Authentication 4',
    breaks: 'With the token of a call an extension may use the public API as the user may, batches included.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const [, claims = ''] = (call.headers['authorization'] ?? '').split('.');
      const isForCalls = Buffer.from(claims, 'base64url').toString().includes('"impersonation"');
      if (isForCalls && call.url.endsWith('/batch')) throw new Refusal(403, 'Batches are for users themselves.');
      right(areas, user, access, call);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.sendEvent();
      const [call] = await reached(host, 1);
      const authorization = `Bearer ${call?.envelope?.accessToken}`;
      const reads = [{ method: 'GET', href: made.path }];
      return (await service.nobody.post('/api/space/main/batch', reads, { authorization })).status !== 200;
    },
  },

  'events.empty-content-is-the-last-one': {
    source: 'extensions: Events 1',
    breaks: 'The payload carries the content of its own event, also an empty one behind one that is not.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const contents = new Map<string, unknown>();
      return (areas, call, triggered) => {
        const delivery = right(areas, call, triggered);
        const { kind, payload, recordId = '' } = delivery;
        if (kind !== 'event' || !isContent(payload)) return delivery;
        const { contentPayload: own } = payload;
        const isEmpty = isContent(own) && Object.keys(own).length === 0;
        const contentPayload = isEmpty ? (contents.get(recordId) ?? own) : own;
        contents.set(recordId, contentPayload);
        return { ...delivery, payload: { ...payload, contentPayload } };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { first: 1 });
      await reached(host, 1);
      await service.edda.sendEvent('event', {});
      const [, second] = await reached(host, 2);
      return at(second?.envelope?.payload, '/contentPayload/first') === 1;
    },
  },

  'mail.created-at-the-second-try': {
    source: 'extensions: Events 2; Calls to extensions, row Email',
    breaks: 'A mail that is answered by 201 is sent, also when it was sent again before.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isCreated = outcome.kind === 'answered' && outcome.status === 201;
      const isLate = delivery.kind === 'email' && delivery.attempts > 0;
      return right(areas, delivery, policy, isCreated && isLate ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const script: Script = [{ steps: [{ status: 503 }, { status: 201 }], afterwards: 'last' }];
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], script);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await reached(host, 1);
      await service.pass(1, 10);
      return (await reached(host, 3, 500)).length > 2;
    },
  },

  'records.second-one-has-the-time-of-the-first': {
    source: 'extensions: Limits, request timeout',
    breaks: 'Each record of a host has its own time limit, also the second one.',
    kind: 'place',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      if (callee === undefined || !('extension' in callee)) return callee;
      const [first = callee.record] = callee.extension.records;
      return { ...callee, timeoutMs: areas.callees.requestTimeoutOf(first) * 1000 };
    }),
    async shows(service) {
      const records = [
        { id: 'one', requestTimeout: 5 },
        { id: 'event', requestTimeout: 50 },
      ];
      const host = await service.host(() => records, always({ never: true }));
      await service.edda.sendEvent();
      await reached(host, 1);
      await service.pass(6);
      await service.pass(1);
      return (await logged(service, 'timeout')).length > 0;
    },
  },

  'signing.long-keys-are-cut': {
    source: 'extensions: Authentication 2 and 3',
    breaks: 'All bytes of the key count, also beyond the sixty-fourth.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) =>
      right(areas, Buffer.from(apiKey, 'base64').subarray(0, 64).toString('base64'), path),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const apiKey = Buffer.alloc(100, 9).toString('base64');
      await service.cora.post('/api/admin/svcExtension', { hostUri: host.url, apiKey, tokenLifeTime: 60 });
      const [call] = callsOf(host, 'metadata').slice(-1);
      return call !== undefined && !isSignedBy(call, '/svc/extension', apiKey);
    },
  },

  'signing.first-three-names-of-the-route': {
    source: 'extensions: Authentication 3',
    breaks: 'The signature is that of the whole path, also of a long one.',
    kind: 'place',
    variant: replaces('signing', 'signedPath', (right, areas, url) =>
      right(areas, url).split('/').slice(0, 4).join('/'),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/a/b/c/d' }]);
      await service.edda.sendEvent();
      const [call] = await reached(host, 1);
      return call !== undefined && !isSignedBy(call, '/a/b/c/d', hostKey);
    },
  },

  'delivery.last-name-of-a-header': {
    source: 'extensions: Registered external endpoint (simple), row headers',
    breaks: 'The headers that are configured are set on the call, also beyond the tenth.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const headers = callee.endpoint.headers.slice(0, 10);
      return right(areas, delivery, { ...callee, endpoint: { ...callee.endpoint, headers } });
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const names = listAt({ names: Array.from({ length: 11 }, (_, index) => `x-own-${index}`) }, '/names');
      const headers = [
        { name: 'content-type', value: 'application/json' },
        ...names.map((name) => ({ name: String(name), value: 'here' })),
      ];
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, headers });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      const [call] = callsTo(host);
      return call !== undefined && headerValues(call, 'x-own-10').length === 0;
    },
  },
};

function isSignedBy(call: Parameters<typeof headerValues>[0], path: string, key: string): boolean {
  return headerValues(call, 'authorization').includes(`Bearer ${signatureOver(path, key)}`);
}
