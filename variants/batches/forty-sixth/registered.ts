import type { MetadataRecord } from '../../../reference-server/areas/records.ts';
import type { KeyHolder } from '../../../reference-server/areas/api-keys.ts';
import { startExtensionHost, type ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, changeExtension, logged, registerEndpoint } from '../proofs.ts';
import { at, type Received, type Service } from '../service.ts';

const mostExecutions = 60;

/** What is registered. */
export const registeredMistakes: Batch = {
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
