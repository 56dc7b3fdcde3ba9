import { headerNames } from '../../../contract/names.ts';
import { allKeptKeys } from '../../../reference-server/areas/api-keys.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { capabilitiesOf } from '../../../reference-server/areas/records.ts';
import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, encoded, hostKey, listAt, signatureOver } from '../service.ts';
import { callsTo, changeExtension, claimsIn, reached } from '../proofs.ts';

export const registered: Batch = {
  'endpoint.body-is-cut-by-letters': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The configured body is sent whole, where letters take more than a byte as well.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, ...args) => {
      const request = await right(areas, ...args);
      const { body } = request;
      if (body === undefined) return request;
      return { ...request, body: Buffer.from(body).subarray(0, body.length).toString() };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const endpoint = {
        id: 'hook',
        url: `${host.url}/hook`,
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'text/plain; charset=utf-8' }],
      };
      await service.cora.post('/api/admin/externalEndpoint', endpoint);
      const event = { endpointId: 'hook', contentPayload: 'größer' };
      await service.edda.post('/api/space/main/externalEvent', event);
      const [call] = await reached(host, 1);
      return Buffer.from(call?.body ?? []).toString() !== 'größer';
    },
  },
  'extension.token-keeps-its-first-lifetime': {
    source: 'extensions: Registered extension',
    breaks: 'Tokens live as long as the registration says now.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const kept = new Map<string, number>();
      return (areas, delivery, callee) => {
        const tokenLifeTime = kept.get(callee.extension.id) ?? callee.extension.tokenLifeTime;
        kept.set(callee.extension.id, tokenLifeTime);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, tokenLifeTime } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }]);
      await service.edda.sendEvent('e');
      await reached(host, 1);
      await changeExtension(service, { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 5 });
      await service.edda.sendEvent('e');
      const claims = claimsIn((await reached(host, 2))[1]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 300;
    },
  },
  'extension.calls-are-signed-with-the-former-key': {
    source: 'extensions: Authentication 3',
    breaks: 'Calls are signed with the key that is registered now.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const kept = new Map<string, string>();
      return (areas, delivery, callee) => {
        const apiKey = kept.get(callee.extension.id) ?? callee.extension.apiKey;
        kept.set(callee.extension.id, apiKey);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e', endpoint: '/e' }]);
      await service.edda.sendEvent('e');
      await reached(host, 1);
      const apiKey = Buffer.alloc(64, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey, tokenLifeTime: 60 });
      await service.edda.sendEvent('e');
      const [, call] = await reached(host, 2);
      return call !== undefined && headerValues(call, 'authorization')[0] !== `Bearer ${signatureOver('/e', apiKey)}`;
    },
  },
  'keys.callback-may-have-another-query': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The callback is the configured one with its query, not merely the same path.',
    kind: 'value',
    variant: replaces(
      'apiKeys',
      'isConfiguredCallback',
      (_right, _areas, given, configured) => given.split('?', 1)[0] === configured.split('?', 1)[0],
    ),
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'k', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        [{ when: { kind: 'other' }, steps: [{ status: 200 }], afterwards: 'last' }],
      );
      const body = { tokenCallback: `${host.url}/keys?to=another`, permissions: ['SnapshotAPI'] };
      const path = '/api/collection/externalExtension/acquireAccessToken/k';
      return (await service.cora.post(path, body)).status < 400;
    },
  },
  'keys.each-acquisition-makes-them-young-again': {
    source: 'extensions: Permission names',
    breaks: 'Keys are rotated 24 hours after they were made, however often they are asked for meanwhile.',
    kind: 'moment',
    variant: replaces('apiKeys', 'issueKeys', async (right, areas, store, holder, permissions) => {
      const issuedAt = areas.clock.now();
      for (const kept of await allKeptKeys(store)) {
        const { permission, registrationId, recordId = null } = kept;
        if (registrationId !== holder.registrationId || kept.keys.some((key) => areas.apiKeys.isKeyDue(key))) continue;
        const keys = kept.keys.map((key) => ({ ...key, issuedAt }));
        const id = JSON.stringify([permission, registrationId, recordId]);
        await store.putDocument('apiKey', id, JSON.stringify({ ...kept, keys }));
      }
      return right(areas, store, holder, permissions);
    }),
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'k', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        [{ when: { kind: 'other' }, steps: [{ status: 200 }], afterwards: 'last' }],
      );
      const body = { tokenCallback: `${host.url}/keys`, permissions: ['SnapshotAPI'] };
      for (const hours of [0, 13, 13]) {
        await service.pass(hours * 3600);
        await service.cora.post('/api/collection/externalExtension/acquireAccessToken/k', body);
      }
      const keys = callsTo(host).map(({ json }) => at(json, '/SnapshotAPI/apiKey'));
      return keys.length === 3 && keys[0] === keys[2];
    },
  },
  'metadata.what-is-left-out-stays': {
    source: 'extensions: Metadata exchange',
    breaks: 'A record is what the last exchange says: what it leaves out has its default again.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => ({ ...former.find(({ id }) => id === record.id), ...record })),
    ),
    async shows(service) {
      const record = {
        id: 'e',
        version: '1.0.0',
        name: 'e',
        endpoint: '/e',
        extensionType: 'ExternalEvent',
        category: 'proof',
      };
      const host = await service.host(() => [{ ...record, rateLimitNumberOfExecutions: 1 }]);
      const { rateLimitNumberOfExecutions: _gone, ...rest } = { ...record, rateLimitNumberOfExecutions: 1 };
      host.setRecords([rest]);
      await changeExtension(service, { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 60 });
      for (const _ of [1, 2, 3]) await service.edda.sendEvent('e');
      return (await reached(host, 3, 1000)).length < 3;
    },
  },
  'metadata.is-fetched-at-every-start': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, not when the service starts again.',
    kind: 'moment',
    variant: replaces('jobs', 'startTasks', async (right, areas) => {
      await right(areas);
      for (const registration of await areas.store.read((store) => registrationsOf(store, 'svcExtension')))
        if (registration.kind === 'svcExtension')
          void areas.metadata.fetchMetadata(registration, 'start').catch(() => undefined);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }]);
      await service.restart();
      await service.edda.sendEvent('e');
      await reached(host, 1);
      return host.entries(({ kind }) => kind === 'metadata').length > 1;
    },
  },
  'envelope.filter-is-the-first-of-the-user': {
    source: 'extensions: Call envelope',
    breaks: 'The information filter is that of the request that triggered the call.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'passedFilter', (right) => {
      const kept = new Map<string, string>();
      return (areas, call) => {
        const filter = kept.get(call.user.name) ?? right(areas, call);
        kept.set(call.user.name, filter);
        return filter;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }]);
      const second = encoded({ role: 'second' });
      await service.edda.sendEvent('e', {}, { [headerNames.informationFilter]: encoded({ role: 'first' }) });
      await reached(host, 1);
      await service.edda.sendEvent('e', {}, { [headerNames.informationFilter]: second });
      return at((await reached(host, 2))[1]?.json, '/informationFilter') !== second;
    },
  },
  'envelope.token-is-that-of-the-user-before': {
    source: 'extensions: Call envelope',
    breaks: 'The token of a call speaks for the user that triggered this one.',
    kind: 'role',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const kept = new Map<number, Promise<string>>();
      return (areas, userName, minutes) => {
        const token = kept.get(minutes) ?? right(areas, userName, minutes);
        kept.set(minutes, token);
        return token;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }]);
      await service.edda.sendEvent('e');
      await reached(host, 1);
      await service.emil.sendEvent('e');
      return at(claimsIn((await reached(host, 2))[1]), '/sub') !== 'emil';
    },
  },
  'validation.second-capability-is-overlooked': {
    source: 'extensions: Extension metadata record',
    breaks: 'All items of the capabilities count, not the first of their type alone.',
    kind: 'place',
    variant: replaces('validation', 'validatorsFor', async (right, areas, store, softTypeId) => {
      const found = await right(areas, store, softTypeId);
      return found.filter(({ record }) => {
        const first = record.capabilities?.find(({ capabilityType }) => capabilityType === 'SoftType');
        const capabilities = first === undefined ? [] : [first];
        return capabilitiesOf({ ...record, capabilities }, 'SoftType').includes(softTypeId);
      });
    }),
    async shows(service) {
      const capabilities = [
        { capabilityType: 'SoftType', capabilities: ['ChangeRequest'] },
        { capabilityType: 'SoftType', capabilities: ['Document'] },
      ];
      const host = await service.host(() => [{ id: 'v', extensionType: 'ExternalValidation', capabilities }]);
      const { edda } = service;
      await edda.move(await edda.make('Document', { title: 't' }), 1);
      return callsTo(host).length === 0;
    },
  },
  'tasks.link-leaves-a-number-sign-bare': {
    source: 'extensions: External task links',
    breaks: 'The link to the input file leads to it, whatever letters its name has.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) => ({ ...link, url: link.url.replaceAll('%23', '#') })),
    ),
    async shows(service) {
      const { edda } = service;
      await edda.upload('in%23put.txt', 'input');
      const host = await service.host(() => [{ id: 't', extensionType: 'ExternalTask' }]);
      await edda.post('/api/space/main/dx', { recordId: 't', inputPath: 'in#put.txt' });
      const links = listAt((await reached(host, 1))[0]?.json, '/payload/links');
      const input = links.find((link) => at(link, '/id') === 'inputFile');
      return (await service.nobody.get(String(at(input, '/url')))).text !== 'input';
    },
  },
  'tasks.upload-goes-to-the-first-directory': {
    source: 'extensions: External task links',
    breaks: 'The default place of an upload is the whole path of the input file.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const names = inputPath.split('/');
      const shallow = names.length < 3 ? inputPath : `${names[0]}/${names.at(-1)}`;
      const other = right(areas, spaceId, jobId, shallow, token);
      return right(areas, spaceId, jobId, inputPath, token).map((link, index) =>
        link.id === 'uploadFileStream' ? (other[index] ?? link) : link,
      );
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 't', extensionType: 'ExternalTask' }]);
      await service.edda.post('/api/space/main/dx', { recordId: 't', inputPath: 'in/deep/f.csv' });
      const links = listAt((await reached(host, 1))[0]?.json, '/payload/links');
      const upload = links.find((link) => at(link, '/id') === 'uploadFileStream');
      return !String(at(upload, '/url')).endsWith('/stream/in/deep');
    },
  },
  'actions.version-is-that-of-the-first-call': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An action is told the version that the selected object has when it is run.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const kept = new Map<unknown, unknown>();
      return (areas, call, triggered) => {
        const delivery = right(areas, call, triggered);
        const { kind, payload } = delivery;
        if (kind !== 'action' || !isContent(payload) || payload['svcUOIVersion'] === undefined) return delivery;
        const svcUOIVersion = kept.get(payload['objectId']) ?? payload['svcUOIVersion'];
        kept.set(payload['objectId'], svcUOIVersion);
        return { ...delivery, payload: { ...payload, svcUOIVersion } };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'a', extensionType: 'ExternalAction' }]);
      const { edda } = service;
      const made = await edda.make('Part', { name: 'p' });
      const ribbon = { kind: 'ribbon', objectId: made.oid };
      await edda.post('/api/space/main/externalAction/a', ribbon);
      await edda.merge(made, 1, { note: 'n' });
      await edda.post('/api/space/main/externalAction/a', ribbon);
      return Number(at(callsTo(host)[1]?.json, '/payload/svcUOIVersion')) !== 2;
    },
  },
};
