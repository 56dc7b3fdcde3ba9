import { allKeptKeys } from '../../../reference-server/areas/api-keys.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { registrationOf } from '../../../reference-server/areas/registry.ts';
import type { Store } from '../../../reference-server/ports/store.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, logged, reached, registerEndpoint } from '../proofs.ts';
import { at, signatureOver, type Service } from '../service.ts';

/** Addresses of endpoints that were called, by id. */
const addresses = new WeakMap<Store, Map<string, string>>();

/** The longest time that a timer knows, in ms. */
const longestTimer = 2 ** 31 - 1;

const unlimited = { rateLimitNumberOfExecutions: 1000 };

export const registrationMistakes: Batch = {
  'registration.address-of-the-one-before': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The url is the address that is called, also of an endpoint with the id of one that was deleted.',
    kind: 'place',
    variant: together(
      replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
        const callee = await right(areas, reading, address);
        if (callee === undefined || !('endpoint' in callee)) return callee;
        const known = addresses.get(areas.store) ?? new Map<string, string>();
        addresses.set(areas.store, known);
        const url = known.get(callee.name) ?? callee.url;
        known.set(callee.name, url);
        return { ...callee, url, endpoint: { ...callee.endpoint, url } };
      }),
      replaces('queue', 'resumeDeliveries', async (right, areas, writing, id) => {
        if ((await registrationOf(writing, id)) !== undefined) addresses.get(areas.store)?.delete(id);
        return right(areas, writing, id);
      }),
    ),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/first`, ...unlimited });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.cora.delete('/api/admin/externalEndpoint/hook');
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/second`, ...unlimited });
      await service.edda.sendToEndpoint();
      const calls = await reached(host, 2);
      return !calls.some(({ path }) => path === '/second');
    },
  },

  'registration.longer-than-a-timer': {
    source: 'extensions: Registration routes',
    breaks: 'A request waits as many seconds for its response as are registered, however many those are.',
    kind: 'value',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      return callee === undefined || callee.timeoutMs <= longestTimer ? callee : { ...callee, timeoutMs: 1 };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, requestTimeout: 3_000_000 });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.pass(1, 2);
      return (await logged(service, 'timeout')).length > 0;
    },
  },

  'registration.keys-longer-than-a-block': {
    source: 'extensions: Registered extension',
    breaks: 'Calls are signed with the whole key, also with one that is longer than a block of the hash.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (right, areas, apiKey, path) =>
      right(areas, Buffer.from(apiKey, 'base64').subarray(0, 128).toString('base64'), path),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const apiKey = Buffer.alloc(160, 9).toString('base64');
      await changeExtension(service, { hostUri: host.url, apiKey });
      const [entry] = host.entries(({ kind }) => kind === 'metadata').slice(-1);
      const [given] = entry === undefined ? [] : headerValues(entry, 'authorization');
      return given !== `Bearer ${signatureOver('/svc/extension', apiKey)}`;
    },
  },

  'keys.accounts-and-administration': {
    source: 'extensions: Permission names',
    breaks: 'A key for user accounts opens no bulk upload, also where it came together with one that does.',
    kind: 'combination',
    variant: replaces('apiKeys', 'acquiredAdministrationKeys', async (right, areas, reading) => {
      const all = await allKeptKeys(reading);
      const holders = all.filter(({ permission }) => permission === 'AdministrationAPI');
      const besides = all.filter(
        ({ permission, registrationId }) =>
          permission === 'AuthorizationAPI' && holders.some((holder) => holder.registrationId === registrationId),
      );
      const keys = besides.flatMap((kept) => kept.keys.filter((key) => areas.apiKeys.isKeyValid(key)));
      return [...(await right(areas, reading)), ...keys.map(({ key }) => key)];
    }),
    async shows(service) {
      const permissions = ['AdministrationAPI', 'AuthorizationAPI'] as const;
      const host = await service.host(
        (url) => [{ id: 'event', permissions: { tokenCallback: `${url}/keys`, permissions: [...permissions] } }],
        always({ status: 200 }),
      );
      await service.cora.post('/api/collection/externalExtension/acquireAccessToken/event', {
        tokenCallback: `${host.url}/keys`,
        permissions,
      });
      const key = String(at(callsTo(host)[0]?.json, '/AuthorizationAPI/apiKey'));
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      const authorization = `Bearer ${signatureOver('/admin/fileupload', key)}`;
      return (await service.nobody.post('/admin/fileupload', body, { authorization })).status < 300;
    },
  },

  'metadata.described-alike': {
    source: 'extensions: Extension metadata record',
    breaks: 'Two records may have one description; it tells nothing apart.',
    kind: 'combination',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const descriptions = items.map((item) => (isContent(item) ? item['description'] : undefined));
      const isFirst = (index: number) =>
        descriptions[index] === undefined || descriptions.indexOf(descriptions[index]) === index;
      return right(
        areas,
        items.filter((_item, index) => isFirst(index)),
      );
    }),
    async shows(service) {
      await service.host(() => ['one', 'other'].map((id) => ({ id, description: 'handles events' })));
      return (await service.edda.sendEvent('other')).status >= 300;
    },
  },

  'metadata.pre-release-with-build': {
    source: 'extensions: Extension metadata record',
    breaks: 'A version may have a pre-release and a build part at once.',
    kind: 'combination',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const version = isContent(item) ? String(item['version']) : '';
      const hasBoth = version.split('+', 1)[0]?.includes('-') && version.includes('+');
      return hasBoth ? new Misfit('/version', 'must be a version') : right(areas, item);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', version: '1.0.0-rc.1+build.5' }]);
      return (await service.edda.sendEvent()).status >= 300;
    },
  },

  'metadata.last-list-of-softtypes': {
    source: 'extensions: Extension metadata record',
    breaks: 'A validation applies to all SoftTypes that its record lists, in whichever of its capabilities.',
    kind: 'combination',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      if (record instanceof Misfit || record.capabilities === undefined) return record;
      const byType = new Map(record.capabilities.map((capability) => [capability.capabilityType, capability]));
      return { ...record, capabilities: [...byType.values()] };
    }),
    async shows(service) {
      const capabilities = ['Document', 'ChangeRequest'].map((id) => ({
        capabilityType: 'SoftType',
        capabilities: [id],
      }));
      const host = await service.host(() => [{ id: 'check', extensionType: 'ExternalValidation', capabilities }]);
      await service.edda.move(await service.edda.make('Document', { title: 't' }), 1);
      return callsOf(host, 'validation').length === 0;
    },
  },

  'metadata.timeout-of-the-former-record': {
    source: 'extensions: Limits',
    breaks: 'A record that names no timeout any more has the default one, whatever it named before.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) => {
      const before = new Map(former.map((record) => [record.id, record]));
      return right(
        areas,
        former,
        fetched.map((record) => {
          const requestTimeout = record.requestTimeout ?? before.get(record.id)?.requestTimeout;
          return requestTimeout === undefined ? record : { ...record, requestTimeout };
        }),
      );
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', requestTimeout: 5 }], always({ never: true }));
      host.setRecords([
        {
          id: 'event',
          version: '1.0.0',
          name: 'event',
          endpoint: '/event',
          extensionType: 'ExternalEvent',
          category: 'proof',
        },
      ]);
      await changeExtension(service, { hostUri: host.url });
      return timesOut(service, 10);
    },
  },
};

/** Whether a call that is never answered is given up within so many seconds. */
async function timesOut(service: Service, seconds: number): Promise<boolean> {
  await service.edda.sendEvent();
  await service.pass(1);
  await service.pass(seconds);
  await service.pass(0.1);
  return (await logged(service, 'timeout')).length > 0;
}
