import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo } from '../proofs.ts';
import { at, type Received, type Service } from '../service.ts';

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
