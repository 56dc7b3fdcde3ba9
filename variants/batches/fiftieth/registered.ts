import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, registerEndpoint } from '../proofs.ts';
import { at, hostKey, type Service } from '../service.ts';

const event = {
  id: 'event',
  version: '1.0.0',
  name: 'event',
  endpoint: '/event',
  extensionType: 'ExternalEvent',
  category: 'proof',
} as const;

/** A host that serves the metadata of one more extension below the path. */
function servesBelow(path: string, record: object): Script {
  return [{ when: { path: `${path}/svc/extension` }, steps: [{ status: 200, json: [record] }], afterwards: 'last' }];
}

function register({ cora }: Service, hostUri: string, active = true) {
  return cora.post('/api/admin/svcExtension', { hostUri, apiKey: hostKey, tokenLifeTime: 60, active });
}

/** What is registered, and the keys that it acquires. */
export const registeredMistakes: Batch = {
  'active.switched-by-origin': {
    source: 'extensions: Registered extension, active',
    breaks: 'An extension is switched off by itself, and not with it another one of the same origin.',
    kind: 'combination',
    variant: breaks('callees', 'isActive', (right) => {
      const off = new Map<string, Set<string>>();
      return (areas, registration) => {
        if (registration.kind !== 'svcExtension') return right(areas, registration);
        const { origin } = new URL(registration.hostUri);
        const ids = off.get(origin) ?? new Set();
        off.set(origin, ids);
        if (registration.active) ids.delete(registration.id);
        else ids.add(registration.id);
        return ids.size === 0;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'first' }], servesBelow('/other', { ...event, id: 'other' }));
      await register(service, `${host.url}/other`, false);
      for (const id of ['other', 'first']) await service.edda.sendEvent(id);
      await service.pass(1);
      return callsOf(host, 'event').length === 0;
    },
  },

  'metadata.names-that-every-object-has': {
    source: 'extensions: Extension metadata record, id',
    breaks: 'An id is any text, one that a table of the language has from the start too.',
    kind: 'value',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) =>
      right(
        areas,
        items.filter((item) => !(String(at(item, '/id')) in {})),
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'constructor' }]);
      await service.edda.sendEvent('constructor');
      await service.pass(1);
      return callsTo(host).length === 0;
    },
  },

  'endpoints.one-for-each-address': {
    source: 'extensions: Registration routes, externalEndpoint',
    breaks: 'An endpoint is registered under its id, be there another one that has the same address.',
    kind: 'value',
    variant: replaces('registrations', 'createEndpoint', async (right, areas, call, writing) => {
      const all = await registrationsOf(writing, call.json.kind);
      if (all.some((registration) => 'url' in registration && registration.url === call.json.url))
        throw new Refusal(409, 'There is an endpoint of this address already.');
      return right(areas, call, writing);
    }),
    async shows(service) {
      const url = 'http://localhost:9/hook';
      await registerEndpoint(service, 'externalEndpoint', { url });
      return (await registerEndpoint(service, 'externalEndpoint', { url, id: 'other' })).status >= 400;
    },
  },

  'api-keys.in-the-alphabet-of-urls': {
    source: 'extensions: Acquiring API keys',
    breaks: 'An acquired key is Base64, as its holder decodes it.',
    kind: 'value',
    variant: replaces('apiKeys', 'keyMember', (_right, _areas, key) => ({
      apiKey: Buffer.from(key, 'base64').toString('base64url'),
    })),
    survives: 'Which alphabet of Base64 an acquired key is written in is not said.',
    async shows(service) {
      const permissions = ['AdministrationAPI' as const];
      const host = await service.host(
        (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions } }],
        always({ status: 200 }),
      );
      const tokenCallback = `${host.url}/keys`;
      const path = '/api/collection/externalExtension/acquireAccessToken/holder';
      await service.cora.post(path, { tokenCallback, permissions });
      const brought = callsTo(host).find((call) => call.path === '/keys')?.json;
      const key = String(at(brought, '/AdministrationAPI/apiKey'));
      return Buffer.from(key, 'base64').toString('base64') !== key;
    },
  },

  'metadata.unsigned-while-switched-off': {
    source: 'extensions: Metadata exchange, last sentence',
    breaks: 'The request for the metadata is signed, also where the extension is registered as switched off.',
    kind: 'combination',
    variant: replaces('metadata', 'metadataRequest', (right, areas, extension, correlationId) => {
      const request = right(areas, extension, correlationId);
      const { Authorization: _signature, ...headers } = request.headers;
      return extension.active ? request : { ...request, headers };
    }),
    async shows(service) {
      const host = await service.host(() => [event]);
      await changeExtension(service, { hostUri: host.url, active: false });
      const [, second] = callsOf(host, 'metadata');
      return second !== undefined && headerValues(second, 'authorization').length === 0;
    },
  },

  'metadata.asked-before-who-asks-is-known': {
    source: 'extensions: Versioning',
    breaks: 'The metadata is fetched when an extension is added, and not where the one who would add it may not.',
    kind: 'role',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (call.method !== 'POST' || route.path !== '/api/admin/svcExtension') return right(areas, route, call);
      const fields = areas.registrations.extensionFrom(areas.messages.jsonBodyOf(call));
      const records = await areas.metadata.fetchMetadata(fields, call.correlationId);
      return right(within(areas, { metadata: { fetchMetadata: async () => records } }), route, call);
    }),
    async shows(service) {
      const host = await service.host(() => [event]);
      const before = callsOf(host, 'metadata').length;
      const body = { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 60 };
      await service.edda.post('/api/admin/svcExtension', body);
      return callsOf(host, 'metadata').length > before;
    },
  },
};
