import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import {
  always,
  callsOf,
  callsTo,
  changeExtension,
  claimsIn,
  reached,
  registerEndpoint,
  scheduleTask,
} from '../proofs.ts';
import { at, listAt, signatureOver } from '../service.ts';

const longKey = Buffer.alloc(200, 9).toString('base64');

export const callsMistakes: Batch = {
  'endpoints.get-loses-its-query': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to the parameters of the URL, also where the method is GET.',
    kind: 'combination',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = new URL(await right(areas, delivery, callee));
      if (callee.endpoint.method !== 'GET' || !url.searchParams.has('access_token')) return url.href;
      url.search = new URLSearchParams({ access_token: url.searchParams.get('access_token') ?? '' }).toString();
      return url.href;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { method: 'GET', url: `${host.url}/hook?a=1` });
      await service.edda.sendToEndpoint();
      const [call] = await reached(host, 1);
      return call !== undefined && !call.target.includes('a=1');
    },
  },
  'endpoints.trusted-ones-stay-active': {
    source: 'extensions: Registered external endpoint (simple), row active',
    breaks: 'A trusted endpoint is switched off like a simple one.',
    kind: 'place',
    variant: replaces(
      'callees',
      'isActive',
      (right, areas, registration) => registration.kind === 'trustedExternalEndpoint' || right(areas, registration),
    ),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { active: false, url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      return (await reached(host, 1, 1000)).length > 0;
    },
  },
  'tasks.upload-beside-the-directory': {
    source: 'extensions: External task links, row uploadFileStream',
    breaks: 'The stream upload goes to where the input is, however deep that lies.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) =>
        link.id === 'uploadFileStream' ? { ...link, url: link.url.replace(/(\/stream\/[^/]+)\/.*$/, '$1') } : link,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service, { inputPath: 'one/two/input.csv' });
      const [call] = await reached(host, 1);
      const links = listAt(call?.envelope?.payload, '/links');
      const url = String(
        at(
          links.find((link) => at(link, '/id') === 'uploadFileStream'),
          '/url',
        ),
      );
      return call !== undefined && !url.includes('one/two');
    },
  },
  'signing.long-keys-are-cut': {
    source: 'extensions: Authentication 3',
    breaks: 'The whole key signs, also one that is longer than the block of the hash.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) =>
      right(areas, Buffer.from(apiKey, 'base64').subarray(0, 128).toString('base64'), path),
    ),
    async shows(service) {
      const host = await service.host(() => []);
      await changeExtension(service, { hostUri: host.url, apiKey: longKey });
      const call = host.entries(({ kind }) => kind === 'metadata').at(-1);
      return (
        headerValues(call ?? { headers: [] }, 'authorization')[0] !==
        `Bearer ${signatureOver('/svc/extension', longKey)}`
      );
    },
  },
  'validation.retried-for-ever': {
    source: 'extensions: Limits, retries row 2',
    breaks: 'A validation is tried three times more, also where its record says for ever.',
    kind: 'combination',
    variant: replaces('outgoingCalls', 'callWithRetries', async (right, areas, delivery, retries) => {
      const callee = await areas.store.read((reading) => areas.callees.calleeOf(reading, delivery));
      return right(areas, delivery, callee?.retryForever === true && delivery.kind === 'validation' ? 5 : retries);
    }),
    async shows(service) {
      const record = {
        id: 'validator',
        extensionType: 'ExternalValidation',
        retryForever: true,
        capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
      } as const;
      const host = await service.host(() => [record], always({ status: 503 }));
      const made = await service.edda.make('Document', { title: 't' });
      const promote = service.edda.move(made, 1);
      for (const seconds of [2, 4, 8, 16, 32]) {
        const before = callsOf(host, 'validation').length;
        await reached(host, before === 0 ? 1 : before, 1000);
        await new Promise((resolve) => setTimeout(resolve, 100));
        await service.pass(seconds);
        await reached(host, before + 1, 300);
      }
      await promote;
      return callsOf(host, 'validation').length > 4;
    },
  },
  'tokens.life-time-of-the-first': {
    source: 'extensions: Limits, token validity',
    breaks: 'A token lives as long as the registration says that it is for, not as long as the first one of its user.',
    kind: 'copy',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const known = new Map<string, number>();
      return (areas, userName, minutes) => {
        if (!known.has(userName)) known.set(userName, minutes);
        return right(areas, userName, known.get(userName) ?? minutes);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await reached(host, 1);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 5 });
      await service.edda.sendEvent();
      const claims = claimsIn((await reached(host, 2))[1]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) === 3600;
    },
  },
  'events.created-after-an-error-is-none': {
    source: 'extensions: Events 2',
    breaks: 'An event that is answered with 201 is done with, on a retry as well.',
    kind: 'combination',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isLate = delivery.attempts > 0 && outcome.kind === 'answered' && outcome.status === 201;
      return right(areas, delivery, policy, isLate ? { ...outcome, status: 500 } : outcome);
    }),
    async shows(service) {
      const steps = [{ status: 503 }, { status: 201 }];
      const host = await service.host(() => [{ id: 'event' }], [{ steps, afterwards: 'last' }]);
      await service.edda.sendEvent();
      await reached(host, 1);
      await service.pass(3);
      await reached(host, 2);
      await service.pass(5);
      return (await reached(host, 3, 1000)).length > 2;
    },
  },
  'events.empty-lists-are-left-out': {
    source: 'extensions: Payloads by extension type, row ExternalEvent',
    breaks: 'The content of an event is any JSON, lists without items included.',
    kind: 'value',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      if (delivery.kind !== 'event') return payload;
      const text = JSON.stringify(payload, (_name, value: unknown) =>
        Array.isArray(value) && value.length === 0 ? undefined : value,
      );
      return JSON.parse(text) as unknown;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', { items: [] });
      const [call] = await reached(host, 1);
      return call !== undefined && at(call.envelope?.payload, '/contentPayload/items') === undefined;
    },
  },
  'emails.end-of-the-text-is-trimmed': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The body of a mail is sent as it was given, its last line end included.',
    kind: 'value',
    survives:
      'What makes the service send a mail is not shown (ledger trigger-email-binding): it may take the text without the line end behind it.',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      if (delivery.kind !== 'email') return payload;
      return { ...(payload as object), body: String(at(payload, '/body')).trimEnd() };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 's', body: 'text\n' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      const [call] = await reached(host, 1);
      return call !== undefined && at(call.envelope?.payload, '/body') !== 'text\n';
    },
  },
  'metadata.what-is-left-out-stays': {
    source: 'extensions: Extension metadata record, row permissions',
    breaks: 'A record says what may be asked for now: permissions that it had before an update are gone.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => ({ ...former.find(({ id }) => id === record.id), ...record })),
    ),
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'x', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        always({ status: 200 }),
      );
      host.setRecords([
        { id: 'x', version: '1.0.1', name: 'x', endpoint: '/x', extensionType: 'ExternalEvent', category: 'proof' },
      ]);
      await changeExtension(service, { hostUri: host.url });
      const asked = { tokenCallback: `${host.url}/keys`, permissions: ['SnapshotAPI'] };
      const path = '/api/collection/externalExtension/acquireAccessToken/x';
      return (await service.cora.post(path, asked)).status < 300 && callsTo(host).length > 0;
    },
  },
};
