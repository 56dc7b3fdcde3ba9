import { registrationOf } from '../../../reference-server/areas/registry.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension } from '../proofs.ts';
import { at, type Received, type Service, signatureOver } from '../service.ts';

type Permission = 'AdministrationAPI' | 'SnapshotAPI';

/** What is registered, and the keys that it acquires. */
export const registeredMistakes: Batch = {
  'metadata.one-behind-an-unsupported-type': {
    source: 'extensions: Metadata exchange; Extension metadata record, extensionType',
    breaks: 'A record of an unsupported type is ignored, and no other one with it.',
    kind: 'place',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) =>
      right(
        areas,
        items.filter((_item, index) => {
          const before = at(items[index - 1], '/extensionType');
          return typeof before !== 'string' || areas.metadata.isSupportedType(before);
        }),
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'hologram', extensionType: 'Hologram' }, { id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host).length === 0;
    },
  },

  'metadata.not-asked-where-nothing-changes': {
    source: 'extensions: Metadata exchange',
    breaks: 'An update asks for the metadata, also where it changes nothing of the registration.',
    kind: 'value',
    variant: replaces('registrations', 'putExtension', async (right, areas, call) => {
      const former = await areas.store.read((reading) => registrationOf(reading, call.params['id'] ?? ''));
      const isSame =
        former?.kind === 'svcExtension' &&
        former.hostUri === call.json.hostUri &&
        former.apiKey === call.json.apiKey &&
        former.active === call.json.active;
      if (!isSame) return right(areas, call);
      const fetchMetadata = async () => ({ records: former.records, complaints: [] });
      return right(within(areas, { metadata: { fetchMetadata } }), call);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url });
      return callsOf(host, 'metadata').length === 1;
    },
  },

  'records.ids-in-small-letters': {
    source: 'extensions: Extension metadata record, id; Calls to extensions, row ExternalEvent',
    breaks: 'The record with the id is called, not one whose id differs from it in letter case.',
    kind: 'value',
    survives:
      'Whether ids of records may be alike, or alike but for their letter case, is not said (metadata-duplicate-ids).',
    variant: replaces('triggeredCalls', 'foundAddressee', async (right, areas, reading, type, named) => {
      const addresses = await areas.registry.recordsOfType(reading, type);
      const found = addresses.findLast(({ recordId }) => recordId.toLowerCase() === named.recordId?.toLowerCase());
      return right(areas, reading, type, found === undefined ? named : { ...named, recordId: found.recordId });
    }),
    async shows(service) {
      const host = await service.host(() => ['notify', 'Notify'].map((id) => ({ id, endpoint: `/is-${id}` })));
      await service.edda.sendEvent('notify');
      await service.pass(1);
      return callsTo(host)[0]?.path === '/is-Notify';
    },
  },

  'api-keys.snapshots-open-bulk-upload': {
    source: 'extensions: Permission names; Authentication 2',
    breaks: 'Bulk upload needs the key for administration; one for snapshots does not open it.',
    kind: 'role',
    variant: replaces('apiKeys', 'opensAdministration', (right, areas, permission) =>
      right(areas, permission === 'SnapshotAPI' ? 'AdministrationAPI' : permission),
    ),
    async shows(service) {
      const host = await keyHolder(service);
      await acquire(service, host, ['SnapshotAPI']);
      const path = '/admin/fileupload/main';
      const authorization = `Bearer ${signatureOver(path, String(at(keysAt(host)[0], '/SnapshotAPI/apiKey')))}`;
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      return (await service.nobody.post(path, body, { authorization })).status === 200;
    },
  },

  'api-keys.those-of-before-come-along': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The keys that are asked for are brought, without those that were asked for before.',
    kind: 'copy',
    variant: breaks('apiKeys', 'grantedPermissions', (right) => {
      const all = new Map<string, readonly string[]>();
      return (areas, asked, configured) => {
        const granted = right(areas, [...(all.get(configured.join()) ?? []), ...asked], configured);
        all.set(configured.join(), granted);
        return granted;
      };
    }),
    async shows(service) {
      const host = await keyHolder(service);
      await acquire(service, host, ['SnapshotAPI']);
      await acquire(service, host, ['AdministrationAPI']);
      return at(keysAt(host)[1], '/SnapshotAPI') !== undefined;
    },
  },

  'api-keys.each-acquisition-prolongs': {
    source: 'extensions: Permission names; Limits, permission key rotation',
    breaks: 'Keys rotate every 24 hours, also where they are acquired again in between.',
    kind: 'combination',
    variant: replaces('apiKeys', 'issueKeys', async (right, areas, writing, holder, permissions) =>
      (await right(areas, writing, holder, permissions)).map((key) => ({ ...key, issuedAt: areas.clock.now() })),
    ),
    async shows(service) {
      const host = await keyHolder(service);
      for (const hours of [20, 20, 20]) {
        await acquire(service, host, ['SnapshotAPI']);
        await service.pass(hours * 3600);
      }
      const [first, , third] = keysAt(host).map((keys) => at(keys, '/SnapshotAPI/apiKey'));
      return first === third;
    },
  },
};

function keyHolder(service: Service): Promise<ExtensionHost> {
  const permissions = ['AdministrationAPI', 'SnapshotAPI'];
  return service.host(
    (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions } }],
    always({ status: 200 }),
  );
}

function acquire({ cora }: Service, host: ExtensionHost, permissions: readonly Permission[]): Promise<Received> {
  const body = { tokenCallback: `${host.url}/keys`, permissions };
  return cora.post('/api/collection/externalExtension/acquireAccessToken/holder', body);
}

/** What was brought to the callback, in its order. */
function keysAt(host: ExtensionHost): readonly unknown[] {
  return host.entries(({ path }) => path === '/keys').map(({ json }) => json);
}
