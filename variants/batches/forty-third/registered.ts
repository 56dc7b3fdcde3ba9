import { keyPeriodSeconds } from '../../../contract/limits.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { joinedUrl } from '../../../reference-server/areas/callees.ts';
import { startExtensionHost, type ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, changeExtension, logged, registerEndpoint } from '../proofs.ts';
import { at, hostKey, signatureOver, type Received, type Service } from '../service.ts';

const allNames = [
  'TaskUploadAPI',
  'AuthorizationAPI',
  'AdministrationAPI',
  'SnapshotAPI',
  'LicenseCommunicationAPI',
] as const;

export const registeredMistakes: Batch = {
  'registration.administrators-of-a-space': {
    source: 'extensions: What the service does',
    breaks: 'Endpoints are registered by a Collection Administrator, trusted ones too, and not by that of a space.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isTrusted = call.url.startsWith('/api/admin/trustedExternalEndpoint') && call.method === 'POST';
      const spaces = [...areas.configuration.spaces.values()];
      const isAdministrator = spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'));
      if (!(isTrusted && isAdministrator)) right(areas, user, access, call);
    }),
    async shows({ alma }) {
      const body = {
        id: 'hook',
        url: 'https://nowhere.invalid/hook',
        method: 'POST',
        category: 'c',
        headers: [{ name: 'content-type', value: 'application/json' }],
        tokenLifeTime: 5,
      };
      return (await alma.post('/api/admin/trustedExternalEndpoint', body)).status === 201;
    },
  },

  'registration.trusted-ones-are-active': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'An endpoint that is registered as not active is not called, a trusted one neither.',
    kind: 'value',
    variant: replaces('registrations', 'trustedEndpointFrom', (right, areas, body) => ({
      ...right(areas, body),
      active: true,
    })),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, active: false });
      await service.edda.sendToEndpoint();
      await service.pass(1, 2);
      return host.entries(({ kind }) => kind !== 'metadata').length > 0;
    },
  },

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

  'api-keys.of-endpoints-stay': {
    source: 'extensions: Permission names, text below the table',
    breaks: 'Keys are other ones after 24 hours, those of a trusted endpoint as well.',
    kind: 'role',
    variant: replaces('apiKeys', 'issueKeys', (right, areas, writing, holder, permissions) => {
      const lasting = within(areas, { apiKeys: { isKeyDue: () => false, isKeyValid: () => true } });
      return right(holder.recordId === undefined ? lasting : areas, writing, holder, permissions);
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 200 }) });
      const permissions = { tokenCallback: `${host.url}/keys`, permissions: ['SnapshotAPI'] };
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, permissions });
      const path = '/api/collection/externalExtension/acquireAccessToken/hook';
      await service.cora.post(path, permissions);
      const first = keysIn(host)['SnapshotAPI'];
      await service.pass(keyPeriodSeconds + 1);
      await service.cora.post(path, permissions);
      return JSON.stringify(first) === JSON.stringify(keysIn(host)['SnapshotAPI']);
    },
  },

  'api-keys.those-of-before-come-along': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The callback gets the keys that were asked for, and none of an acquisition before.',
    kind: 'copy',
    variant: breaks('apiKeys', 'keysBody', (right) => {
      let former = {};
      return (areas, keys) => {
        former = { ...former, ...right(areas, keys) };
        return former;
      };
    }),
    async shows(service) {
      const host = await keyHost(service, allNames);
      await acquire(service, host, ['SnapshotAPI']);
      await acquire(service, host, ['TaskUploadAPI']);
      return 'SnapshotAPI' in keysIn(host);
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

  'metadata.timeout-of-the-record-before': {
    source: 'extensions: Extension metadata record, row requestTimeout',
    breaks: 'A record that leaves out a member has its default, whatever the record before it says.',
    kind: 'copy',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      let former: unknown;
      const filled = items.map((item) => {
        former = at(item, '/requestTimeout') ?? former;
        return typeof item === 'object' && item !== null && former !== undefined
          ? { requestTimeout: former, ...item }
          : item;
      });
      return right(areas, filled);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'first', requestTimeout: 2 }, { id: 'event' }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(1, 6);
      return (await logged(service, 'timeout')).length > 0;
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

  'metadata.update-without-the-base-path': {
    source: 'extensions: Metadata exchange',
    breaks: 'The metadata are asked for below the hostUri, path and all, when an extension is updated as well.',
    kind: 'combination',
    variant: replaces('registrations', 'putExtension', (right, areas, call) => {
      const atRoot = within(areas, {
        metadata: {
          metadataRequest: (extension, correlationId) => {
            const request = areas.metadata.metadataRequest(extension, correlationId);
            const url = joinedUrl(new URL(extension.hostUri).origin, '/svc/extension');
            return { ...request, url };
          },
        },
      });
      return right(atRoot, call);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await changeExtension(service, { hostUri: `${host.url}/below` });
      return !host.entries().some(({ target }) => target === '/below/svc/extension');
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
