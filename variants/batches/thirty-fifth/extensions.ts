import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, changeExtension, reached, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, signatureOver } from '../service.ts';

/** Base64 of a key with each of the signs that only one alphabet has. */
const signedKey = Buffer.alloc(64, 0xfb).toString('base64');

const acquirePath = (id: string) => `/api/collection/externalExtension/acquireAccessToken/${id}`;

const mail = { recordId: 'mail', subject: 's', body: 'text' };

export const extensionsMistakes: Batch = {
  'signing.plus-in-a-key-is-a-blank': {
    source: 'extensions: Authentication 2',
    breaks: 'The key is Base64, whose alphabet has a plus.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) =>
      right(areas, apiKey.replaceAll('+', ' '), path),
    ),
    async shows(service) {
      const host = await service.host(() => []);
      await changeExtension(service, { hostUri: host.url, apiKey: signedKey });
      const call = host.entries(({ kind }) => kind === 'metadata').at(-1);
      const expected = `Bearer ${signatureOver('/svc/extension', signedKey)}`;
      return call !== undefined && !JSON.stringify(call.headers).includes(expected);
    },
  },
  'emails.the-same-text-is-the-same-mail': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'A mail goes to its address, also where another one had the same text.',
    kind: 'copy',
    variant: breaks('queue', 'enqueue', (right) => {
      const known = new Set<string>();
      return async (areas, writing, delivery) => {
        const key = JSON.stringify({ ...(delivery.payload as object), to: undefined });
        if (delivery.kind === 'email' && known.has(key)) return true;
        known.add(key);
        return right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always({ status: 200 }));
      for (const to of ['a@b.example', 'c@d.example'])
        await service.edda.post('/api/space/main/externalEmail', { ...mail, to });
      return (await reached(host, 2, 1000)).length === 1;
    },
  },
  'metadata.type-of-the-first-time': {
    source: 'extensions: Extension metadata record, row extensionType',
    breaks: 'A record is of the type that it names now, not of the one that it named before an update.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => ({
        ...record,
        extensionType: former.find(({ id }) => id === record.id)?.extensionType ?? record.extensionType,
      })),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'ExternalEvent' }], always({ status: 200 }));
      host.setRecords([
        { id: 'mail', version: '1.0.1', name: 'x', endpoint: '/x', extensionType: 'Email', category: 'proof' },
      ]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.post('/api/space/main/externalEmail', { ...mail, to: 'a@b.example' });
      return (await reached(host, 1, 1000)).length === 0;
    },
  },
  'metadata.asked-before-keys-are-brought': {
    source: 'extensions: Versioning',
    breaks: 'Metadata is fetched when an extension is added or updated, and not when it asks for keys.',
    kind: 'moment',
    variant: replaces('apiKeys', 'bringKeys', async (right, areas, call, holder, request, keys) => {
      const registration = await areas.store.read((reading) =>
        areas.registry.registrationOf(reading, holder.registrationId),
      );
      if (registration?.kind === 'svcExtension') await areas.metadata.fetchMetadata(registration, call.correlationId);
      return right(areas, call, holder, request, keys);
    }),
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'x', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
      );
      await service.cora.post(acquirePath('x'), { tokenCallback: `${host.url}/keys`, permissions: ['SnapshotAPI'] });
      return host.entries(({ kind }) => kind === 'metadata').length > 1;
    },
  },
  'api-keys.endpoints-get-the-first': {
    source: 'extensions: Authentication 5',
    breaks: 'A trusted endpoint may have keys for all its permissions in one request.',
    kind: 'role',
    variant: replaces('apiKeys', 'bringKeys', (right, areas, call, holder, request, keys) =>
      right(areas, call, holder, request, holder.apiKey === undefined ? keys.slice(0, 1) : keys),
    ),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      const permissions = { tokenCallback: `${host.url}/keys`, permissions: ['SnapshotAPI', 'AdministrationAPI'] };
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, permissions });
      await service.cora.post(acquirePath('hook'), permissions);
      const [call] = callsTo(host);
      return call !== undefined && !JSON.stringify(call).includes('AdministrationAPI');
    },
  },
  'tasks.timeout-is-cut-to-whole-seconds': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'The timeout of a task is a number, with its fraction.',
    kind: 'value',
    survives: 'How a task is configured is not shown (ledger trigger-task-binding): its seconds may be integers there.',
    variant: replaces('triggers', 'taskPayload', (right, areas, body) => {
      const payload = right(areas, body);
      return { ...payload, timeout: Math.max(1, Math.trunc(payload.timeout)) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await scheduleTask(service, { timeout: 90.5 });
      const [call] = await reached(host, 1);
      return call !== undefined && at(call.envelope?.payload, '/timeout') !== 90.5;
    },
  },
};
