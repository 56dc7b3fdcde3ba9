import type { MetadataRecord } from '../../../reference-server/areas/records.ts';
import type { KeyHolder } from '../../../reference-server/areas/api-keys.ts';
import { startExtensionHost, type ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, changeExtension, logged, registerEndpoint } from '../proofs.ts';
import { at, signatureOver, type Received, type Service } from '../service.ts';

const mostExecutions = 60;
const hourSeconds = 3600;
/** When keys were asked for last. */
const askedFor = new Map<string, number>();

/** What is registered. */
export const registeredMistakes: Batch = {
  'metadata.one-record-a-name': {
    source: 'extensions: Extension metadata record, name',
    breaks: 'A record is known by its id: two may have one name.',
    kind: 'value',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) =>
      right(
        areas,
        items.filter((item, index) => items.findIndex((other) => at(other, '/name') === at(item, '/name')) === index),
      ),
    ),
    async shows(service) {
      await service.host(() => [
        { id: 'one', name: 'n' },
        { id: 'other', name: 'n' },
      ]);
      return (await service.edda.sendEvent('other')).status >= 400;
    },
  },

  'metadata.id-of-an-unsupported-type': {
    source: 'extensions: Extension metadata record, extensionType',
    breaks: 'A record of an unsupported type is ignored: another one may have its id.',
    kind: 'combination',
    survives: 'Whether two records of a host may have one id, be one of them ignored, is not said.',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const isUnsupported = (item: unknown) => !areas.metadata.isSupportedType(String(at(item, '/extensionType')));
      const taken = items.map((item) => (isUnsupported(item) ? at(item, '/id') : undefined));
      return right(
        areas,
        items.filter((item, index) => !taken.slice(0, index).includes(at(item, '/id'))),
      );
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', extensionType: 'Telepathy' }, { id: 'event' }]);
      return (await service.edda.sendEvent()).status >= 400;
    },
  },

  'metadata.timeout-of-before': {
    source: 'extensions: Extension metadata record, requestTimeout',
    breaks: 'A record without a time limit has the default, where it had one before the update too.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => withFormer(former, record)),
    ),
    async shows(service) {
      const host = await service.host(() => [{ ...event, requestTimeout: 2 }], always({ never: true }));
      host.setRecords([event]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      await service.pass(1, 5);
      return (await logged(service, 'timeout')).length > 0;
    },
  },

  'metadata.one-execution-a-second': {
    source: 'extensions: Extension metadata record, rateLimitNumberOfExecutions',
    breaks: 'As many executions a minute are allowed as the record says, more than sixty too.',
    kind: 'value',
    variant: replaces('policies', 'rateDecision', (right, areas, window, now, limit) =>
      right(areas, window, now, Math.min(limit, mostExecutions)),
    ),
    async shows(service) {
      await service.host(() => [event]);
      for (let count = 0; count <= mostExecutions; count += 1) await service.edda.sendEvent();
      await service.pass(1, 3);
      return (await logged(service, 'rate-limit')).length > 0;
    },
  },

  'metadata.first-capability-of-a-kind': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A task manages all file types that its record lists, in however many capabilities.',
    kind: 'place',
    variant: replaces('triggers', 'assertManages', (right, areas, record, path) => {
      const first = record.capabilities?.find(({ capabilityType }) => capabilityType === 'MimeType');
      right(areas, first === undefined ? record : { ...record, capabilities: [first] }, path);
    }),
    async shows(service) {
      const capabilities = ['text/csv', 'text/plain'].map((type) => ({
        capabilityType: 'MimeType',
        capabilities: [type],
      }));
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask', capabilities }]);
      return (await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a.txt' })).status >= 400;
    },
  },

  'metadata.never-back-to-an-older-version': {
    source: 'extensions: Versioning',
    breaks: 'What was fetched last is in force, an older version too.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => {
        const before = former.find(({ id }) => id === record.id);
        return before !== undefined && before.version > record.version ? before : record;
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ ...event, version: '1.1.0', endpoint: '/newer' }]);
      host.setRecords([{ ...event, version: '1.0.0', endpoint: '/older' }]);
      await changeExtension(service, { hostUri: host.url });
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host)[0]?.path === '/newer';
    },
  },

  'keys.of-another-permission': {
    source: 'extensions: Permission names',
    breaks: 'A key is for what its permission names: one for user accounts opens no bulk upload.',
    kind: 'role',
    variant: replaces(
      'apiKeys',
      'opensAdministration',
      (right, areas, permission) => permission === 'AuthorizationAPI' || right(areas, permission),
    ),
    async shows(service) {
      await using host = await openHost();
      const { acquire } = await holderOf(service, host, ['AuthorizationAPI']);
      await acquire(['AuthorizationAPI']);
      const key = String(at(callsTo(host)[0]?.json, '/AuthorizationAPI/apiKey'));
      const signature = signatureOver('/admin/fileupload', key);
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      const answer = await service.nobody.post('/admin/fileupload', body, { authorization: `Bearer ${signature}` });
      return answer.status === 200;
    },
  },

  'keys.query-of-the-callback': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The callback has to equal the configured one, in its query too.',
    kind: 'value',
    variant: replaces('apiKeys', 'isConfiguredCallback', (right, areas, given, configured) =>
      right(areas, given.replace(/\?.*/, ''), configured.replace(/\?.*/, '')),
    ),
    async shows(service) {
      await using host = await openHost();
      const { acquire } = await holderOf(service, host, ['SnapshotAPI']);
      return (await acquire(['SnapshotAPI'], '?to=another')).status < 300;
    },
  },

  'keys.permissions-of-the-first-time': {
    source: 'extensions: Authentication 5',
    breaks: 'A trusted endpoint may ask for the permissions that are configured now.',
    kind: 'copy',
    variant: breaks('apiKeys', 'endpointHolders', (right) => {
      const known = new Map<string, readonly KeyHolder[]>();
      return async (areas, reading, id) => {
        const holders = await right(areas, reading, id);
        if (holders.length > 0 && !known.has(id)) known.set(id, holders);
        return known.get(id) ?? holders;
      };
    }),
    async shows(service) {
      await using host = await openHost();
      const { acquire, endpoint } = await holderOf(service, host, ['SnapshotAPI']);
      await acquire(['SnapshotAPI']);
      const permissions = { ...endpoint.permissions, permissions: ['TaskUploadAPI'] };
      await service.cora.put('/api/admin/trustedExternalEndpoint/hook', undefined, { ...endpoint, permissions });
      return (await acquire(['SnapshotAPI'])).status < 300;
    },
  },

  'keys.period-from-the-last-request': {
    source: 'extensions: Authentication 5',
    breaks: 'A key is replaced a day after it was made, however often it was asked for meanwhile.',
    kind: 'moment',
    variant: together(
      replaces('apiKeys', 'isKeyDue', (right, areas, key) => {
        const issuedAt = askedFor.get(key.key) ?? key.issuedAt;
        askedFor.set(key.key, areas.clock.now());
        return right(areas, { ...key, issuedAt });
      }),
      replaces('apiKeys', 'isKeyValid', (right, areas, key) =>
        right(areas, { ...key, issuedAt: askedFor.get(key.key) ?? key.issuedAt }),
      ),
    ),
    async shows(service) {
      await using host = await openHost();
      const { acquire } = await holderOf(service, host, ['SnapshotAPI']);
      await acquire(['SnapshotAPI']);
      await service.pass(23 * hourSeconds);
      await acquire(['SnapshotAPI']);
      await service.pass(1.5 * hourSeconds);
      await acquire(['SnapshotAPI']);
      const [first, , last] = callsTo(host).map(({ json }) => at(json, '/SnapshotAPI/apiKey'));
      return first !== undefined && first === last;
    },
  },
};

const event = {
  id: 'event',
  version: '1.0.0',
  name: 'event',
  endpoint: '/event',
  extensionType: 'ExternalEvent',
  category: 'proof',
  rateLimitNumberOfExecutions: 1000,
};

function withFormer(former: readonly MetadataRecord[], record: MetadataRecord): MetadataRecord {
  const { requestTimeout } = former.find(({ id }) => id === record.id) ?? {};
  return { ...(requestTimeout !== undefined && { requestTimeout }), ...record };
}

/** A host that takes what is not signed. */
function openHost(): Promise<ExtensionHost> {
  return startExtensionHost({ script: always({ status: 200 }) });
}

/** A trusted endpoint with these permissions, whose callback is a host. */
async function holderOf(service: Service, host: ExtensionHost, names: readonly string[]) {
  const permissions = { permissions: names, tokenCallback: `${host.url}/keys` };
  const endpoint = {
    id: 'hook',
    url: `${host.url}/hook`,
    method: 'POST',
    category: 'proof',
    headers: [{ name: 'content-type', value: 'application/json' }],
    tokenLifeTime: 60,
    permissions,
  };
  await registerEndpoint(service, 'trustedExternalEndpoint', endpoint);
  const acquire = (asked: readonly string[], behind = ''): Promise<Received> =>
    service.cora.post('/api/collection/externalExtension/acquireAccessToken/hook', {
      tokenCallback: `${permissions.tokenCallback}${behind}`,
      permissions: asked,
    });
  return { endpoint, acquire };
}
