import { deliveryRetries } from '../../../contract/limits.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { headerValues, textOf } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, reached, registerEndpoint } from '../proofs.ts';
import { at, listAt, signatureOver } from '../service.ts';

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
