import { Misfit } from '../../../reference-server/areas/records.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, changeExtension } from '../proofs.ts';
import { at, hostKey, signatureOver, type Received, type Service } from '../service.ts';

const allNames = [
  'TaskUploadAPI',
  'AuthorizationAPI',
  'AdministrationAPI',
  'SnapshotAPI',
  'LicenseCommunicationAPI',
] as const;

export const registeredMistakes: Batch = {
  'api-keys.fifth-name-is-lost': {
    source: 'extensions: Permission names',
    breaks: 'A key comes for each permission that is asked for, also where that is all of them.',
    kind: 'value',
    variant: replaces('apiKeys', 'keysBody', (right, areas, keys) =>
      right(areas, keys.length === allNames.length ? keys.slice(0, -1) : keys),
    ),
    async shows(service) {
      const host = await keyHost(service, allNames);
      await acquire(service, host, allNames);
      return Object.keys(keysIn(host)).length === 4;
    },
  },

  'metadata.long-ids-are-left-out': {
    source: 'extensions: Extension metadata record, row id',
    breaks: 'The id of an extension is a text, of whatever length.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) =>
      String(at(item, '/id')).length > 50 ? new Misfit('/id', 'must not be longer') : right(areas, item),
    ),
    survives: 'Extension metadata record, row id: how long an id may be is not said.',
    async shows(service) {
      const id = 'e'.repeat(51);
      await service.host(() => [{ id }]);
      return (await service.edda.sendEvent(id)).status !== 201;
    },
  },

  'metadata.empty-names-are-left-out': {
    source: 'extensions: Extension metadata record, row name',
    breaks: 'The name of an extension is a text, which may be empty.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) =>
      at(item, '/name') === '' ? new Misfit('/name', 'must not be empty') : right(areas, item),
    ),
    survives:
      'Extension metadata record, row name: a name is required, and whether a text without characters is one is not said.',
    async shows(service) {
      await service.host(() => [{ id: 'event', name: '' }]);
      return (await service.edda.sendEvent()).status !== 201;
    },
  },

  'metadata.limit-of-the-record-it-was': {
    source: 'extensions: Extension metadata record, row rateLimitNumberOfExecutions',
    breaks: 'An update of the metadata counts, also where it leaves out a limit that was given before.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) =>
      right(areas, former, fetched).map((record) => {
        const limit = former.find(({ id }) => id === record.id)?.rateLimitNumberOfExecutions;
        return limit === undefined ? record : { rateLimitNumberOfExecutions: limit, ...record };
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', rateLimitNumberOfExecutions: 1 }]);
      const record = { id: 'event', version: '1.0.1', name: 'n', endpoint: '/event', category: 'c' };
      host.setRecords([{ ...record, extensionType: 'ExternalEvent' }]);
      await changeExtension(service, { hostUri: host.url });
      for (const number of [1, 2, 3]) await service.edda.sendEvent('event', { number });
      await service.pass(1, 3);
      return callsOf(host, 'event').length < 3;
    },
  },

  'metadata.version-with-build-behind-prerelease': {
    source: 'extensions: Versioning',
    breaks: 'A version is what SemVer takes for one, a build behind a pre-release as well.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) =>
      /-.+\+/.test(String(at(item, '/version'))) ? new Misfit('/version', 'must be a version') : right(areas, item),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'event', version: '1.0.0-rc.1+build.5' }]);
      return (await service.edda.sendEvent()).status !== 201;
    },
  },

  'metadata.update-signed-with-the-former-key': {
    source: 'extensions: Metadata exchange; Authentication 3',
    breaks: 'The request for metadata is signed with the key of the extension, on an update with that which it brings.',
    kind: 'combination',
    variant: replaces('registrations', 'putExtension', async (right, areas, call) => {
      const place: unknown = Reflect.get(call, 'place');
      const former = String(at(place, '/apiKey'));
      const dated = within(areas, {
        metadata: {
          metadataRequest: (extension, correlationId) =>
            areas.metadata.metadataRequest({ ...extension, apiKey: former }, correlationId),
        },
      });
      return right(dated, call);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await changeExtension(service, { hostUri: host.url, apiKey: Buffer.alloc(64, 8).toString('base64') });
      const bearers = host
        .entries()
        .map(({ headers }) => headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1]);
      return bearers.length > 1 && bearers.at(-1) === bearers[0];
    },
  },
};

/** A host whose record may have keys for these permissions. */
function keyHost(service: Service, names: readonly (typeof allNames)[number][]): Promise<ExtensionHost> {
  return service.host(
    (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: [...names] } }],
    always({ status: 200 }),
  );
}

function acquire(service: Service, host: ExtensionHost, permissions: readonly string[]): Promise<Received> {
  const path = '/api/collection/externalExtension/acquireAccessToken/keys';
  return service.nobody.post(
    path,
    { tokenCallback: `${host.url}/keys`, permissions },
    { authorization: `Bearer ${signatureOver(path, hostKey)}` },
  );
}

/** What the last callback brought. */
function keysIn(host: ExtensionHost): Readonly<Record<string, unknown>> {
  const brought = host.entries(({ path }) => path === '/keys').at(-1)?.json;
  return typeof brought === 'object' && brought !== null ? { ...brought } : {};
}
