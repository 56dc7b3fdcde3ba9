import { keyPeriodSeconds } from '../../../contract/limits.ts';
import { allKeptKeys } from '../../../reference-server/areas/api-keys.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import { always, event, recordOf } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import {
  acquireKeys,
  acquirePath,
  askForKeys,
  bulkPath,
  changeExtension,
  holderAt,
  keyHost,
  keysBroughtTo,
  registerEndpoint,
  sourceOf,
} from '../proofs.ts';
import { at, hostKey, listAt, signatureOver } from '../service.ts';
import { changes } from '../variant-parts.ts';

const allNames = [
  'TaskUploadAPI',
  'AuthorizationAPI',
  'AdministrationAPI',
  'SnapshotAPI',
  'LicenseCommunicationAPI',
] as const;

/** Extensions for which an administrator asks at the moment, by the store of their server. */
const asking = new WeakMap<object, Set<string>>();

export const apiKeysMistakes: Mistakes = {
  'keys.end-with-one-for-another-permission': {
    source: 'extensions: Permission names',
    breaks: 'A key ends by its rotation, and not because one for another permission is asked for.',
    variant: replaces('apiKeys', 'issueKeys', async (right, areas, writing, holder, permissions) => {
      const keys = await right(areas, writing, holder, permissions);
      for (const { registrationId, recordId, permission } of await allKeptKeys(writing))
        if (registrationId === holder.registrationId && !permissions.includes(permission))
          await writing.deleteDocument('apiKey', JSON.stringify([permission, registrationId, recordId ?? null]));
      return keys;
    }),
    async shows(service) {
      const host = await keyHost(service, 'AdministrationAPI', 'SnapshotAPI');
      const key = String(at(await acquireKeys(service, host, ['AdministrationAPI']), '/AdministrationAPI/apiKey'));
      await acquireKeys(service, host, ['SnapshotAPI']);
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      const authorization = `Bearer ${signatureOver(bulkPath, key)}`;
      return (await service.nobody.post(bulkPath, body, { authorization })).status === 401;
    },
  },
  'keys.license-opens-bulk': {
    source: 'extensions: Permission names',
    breaks: 'A key to manage the license is no administration key.',
    variant: replaces(
      'apiKeys',
      'opensAdministration',
      (right, areas, permission) => right(areas, permission) || permission === 'LicenseCommunicationAPI',
    ),
    async shows(service) {
      const permissions = ['LicenseCommunicationAPI'];
      const brought = await acquireKeys(service, await keyHost(service, ...permissions), permissions);
      const key = String(at(brought, '/LicenseCommunicationAPI/apiKey'));
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      const headers = { authorization: `Bearer ${signatureOver(bulkPath, key)}` };
      return (await service.nobody.post(bulkPath, body, headers)).status < 400;
    },
  },
  'keys.all-like-the-last': {
    source: 'extensions: Acquiring API keys; Permission names',
    breaks: 'The key that is brought for AdministrationAPI is one, also before that of another permission.',
    variant: replaces('apiKeys', 'bringKeys', (right, areas, call, holder, request, keys) => {
      const alike = keys.map((acquired) => ({ ...acquired, key: keys.at(-1)?.key ?? acquired.key }));
      return right(areas, call, holder, request, alike);
    }),
    async shows(service) {
      const permissions = ['AdministrationAPI', 'SnapshotAPI'];
      const brought = await acquireKeys(service, await keyHost(service, ...permissions), permissions);
      const key = String(at(brought, '/AdministrationAPI/apiKey'));
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      const headers = { authorization: `Bearer ${signatureOver(bulkPath, key)}` };
      return (await service.nobody.post(bulkPath, body, headers)).status >= 400;
    },
  },
  'api-keys.one-that-stays': {
    source: 'extensions: Permission names',
    breaks: 'Keys are rotated every 24 hours, also that for snapshots.',
    variant: breaks('apiKeys', 'issueKeys', (right) => {
      const kept = new Map<string, string>();
      return async (areas, writing, holder, permissions) => {
        const keys = await right(areas, writing, holder, permissions);
        return keys.map((acquired) => {
          if (acquired.permission !== 'SnapshotAPI') return acquired;
          const id = `${holder.registrationId} ${holder.recordId ?? ''}`;
          const key = kept.get(id) ?? acquired.key;
          kept.set(id, key);
          return { ...acquired, key };
        });
      };
    }),
    async shows(service) {
      const host = await keyHost(service, 'SnapshotAPI');
      const before = await acquireKeys(service, host, ['SnapshotAPI']);
      await service.pass(25 * 3600);
      const after = await acquireKeys(service, host, ['SnapshotAPI']);
      return at(before, '/SnapshotAPI/apiKey') === at(after, '/SnapshotAPI/apiKey');
    },
  },
  'api-keys.fifth-name-is-lost': {
    source: 'extensions: Permission names',
    breaks: 'A key comes for each permission that is asked for, also where that is all of them.',
    variant: replaces('apiKeys', 'keysBody', (right, areas, keys) =>
      right(areas, keys.length === allNames.length ? keys.slice(0, -1) : keys),
    ),
    async shows(service) {
      const brought = await acquireKeys(service, await keyHost(service, ...allNames), allNames);
      return Object.keys(Object(brought)).length === 4;
    },
  },
  'keys.license-unknown': {
    source: 'extensions: Permission names',
    breaks: 'An extension may ask for the key of each of the five permissions, that of the license as well.',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const isAsked = listAt(item, '/permissions/permissions').includes('LicenseCommunicationAPI');
      return isAsked ? new Misfit('/permissions', 'must be known') : right(areas, item);
    }),
    async shows(service) {
      await service.host((url) => [{ ...event, ...holderAt(url, 'LicenseCommunicationAPI'), id: 'event' }]);
      return (await service.edda.sendEvent()).status >= 400;
    },
  },
  'bulk.signature-that-passed-once': {
    source: 'extensions: Permission names',
    breaks: 'A signature under a key that has been rotated away opens nothing, also one that opened something before.',
    variant: breaks('bulkUpload', 'requireAdministrationKey', (right) => {
      const passed = new Set<string>();
      return async (areas, call) => {
        const key = `${call.url} ${call.headers['authorization']}`;
        if (passed.has(key)) return;
        await right(areas, call);
        passed.add(key);
      };
    }),
    survives: 'ledger key-rotation-overlap: how long an old key goes on to be valid is open',
    async shows(service) {
      const brought = await acquireKeys(service, await keyHost(service, 'AdministrationAPI'), ['AdministrationAPI']);
      const key = String(at(brought, '/AdministrationAPI/apiKey'));
      const body = { sourceDirectory: await sourceOf(service, { 'rotated.txt': 'r' }), writeLog: false };
      const headers = { authorization: `Bearer ${signatureOver(bulkPath, key)}` };
      const before = await service.nobody.post(bulkPath, body, headers);
      await service.pass(24 * 3600, 2);
      const after = await service.nobody.post(bulkPath, body, headers);
      return before.status < 300 && after.status < 300;
    },
  },
  'api-keys.a-restart-begins-the-day-anew': {
    source: 'extensions: Permission names, text below',
    breaks: 'A key is rotated 24 hours after it was issued, whether the service was started anew meanwhile or not.',
    variant: breaks('apiKeys', 'issueKeys', (right) => {
      let since: number | undefined;
      return (areas, writing, holder, permissions) => {
        const now = areas.clock.now();
        const start = (since ??= now);
        const isKeyDue = ({ issuedAt }: { readonly issuedAt: number }) =>
          now >= Math.max(issuedAt, start) + keyPeriodSeconds * 1000;
        return right(within(areas, { apiKeys: { isKeyDue } }), writing, holder, permissions);
      };
    }),
    async shows(service) {
      const host = await keyHost(service, 'SnapshotAPI');
      const before = await acquireKeys(service, host, ['SnapshotAPI']);
      await service.restart();
      await service.pass(keyPeriodSeconds + 1);
      const after = await acquireKeys(service, host, ['SnapshotAPI']);
      return at(before, '/SnapshotAPI/apiKey') === at(after, '/SnapshotAPI/apiKey');
    },
  },
  'api-keys.snapshots-come-first-or-not': {
    source: 'extensions: Permission names, SnapshotAPI',
    breaks: 'The key for snapshots is brought wherever in the list it is asked for.',
    variant: replaces('apiKeys', 'grantedPermissions', (right, areas, ...args) =>
      right(areas, ...args).filter((name, index) => name !== 'SnapshotAPI' || index === 0),
    ),
    async shows(service) {
      const names = ['LicenseCommunicationAPI', 'SnapshotAPI'];
      const keys = await acquireKeys(service, await keyHost(service, ...names), names);
      return at(keys, '/SnapshotAPI') === undefined;
    },
  },
  'keys.last-name-of-the-list': {
    source: 'extensions: Permission names',
    breaks: 'There are keys for each of the five permissions, the last of the list as well.',
    variant: replaces('apiKeys', 'acquireComplaint', (right, areas, holder, request) =>
      request.permissions.includes('LicenseCommunicationAPI')
        ? new Refusal(403, 'There is no such permission.')
        : right(areas, holder, request),
    ),
    async shows(service) {
      const host = await keyHost(service, 'SnapshotAPI', 'LicenseCommunicationAPI');
      return (await askForKeys(service, host, ['LicenseCommunicationAPI'])).status >= 400;
    },
  },
  'api-keys.of-a-neighbour': {
    source: 'extensions: Acquiring API keys',
    breaks: 'An extension is granted what its own record asks for, not what another one of the same host does.',
    variant: replaces('apiKeys', 'extensionHolders', async (right, areas, reading, id) => {
      const own = await right(areas, reading, id);
      const beside = await Promise.all(own.map(({ registrationId }) => right(areas, reading, registrationId)));
      return [...own, ...beside.flat()];
    }),
    async shows(service) {
      const host = await service.host(
        (url) => [holderAt(url, 'AdministrationAPI'), { ...holderAt(url, 'SnapshotAPI'), id: 'beside' }],
        always(200),
      );
      return (await askForKeys(service, host, ['SnapshotAPI'])).status < 300;
    },
  },
  'keys.two-at-most': {
    source: 'extensions: Acquiring API keys',
    breaks: 'All permissions that a request names are answered, however many.',
    variant: replaces('apiKeys', 'grantedPermissions', (right, areas, asked, configured) =>
      right(areas, asked.slice(0, 2), configured),
    ),
    async shows(service) {
      const names = ['TaskUploadAPI', 'AuthorizationAPI', 'SnapshotAPI'];
      const keys = await acquireKeys(service, await keyHost(service, ...names), names);
      return at(keys, '/SnapshotAPI') === undefined;
    },
  },
  'keys.former-callback-still-counts': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Keys are brought to the callback that is configured now, not to one that was.',
    variant: breaks('apiKeys', 'acquireComplaint', (right) => {
      const used = new Map<string, Set<string>>();
      return (areas, holder, request) => {
        const known = used.get(holder.registrationId) ?? new Set();
        used.set(holder.registrationId, known);
        const { tokenCallback } = request;
        const isKnown = holder.permissions !== undefined && known.has(tokenCallback);
        const asked = isKnown ? { ...holder, permissions: { ...holder.permissions, tokenCallback } } : holder;
        const complaint = right(areas, asked, request);
        if (complaint === undefined) known.add(tokenCallback);
        return complaint;
      };
    }),
    async shows(service) {
      const host = await keyHost(service, 'SnapshotAPI');
      await askForKeys(service, host, ['SnapshotAPI']);
      const permissions = { tokenCallback: `${host.url}/present`, permissions: ['SnapshotAPI'] };
      host.setRecords([{ ...recordOf('keys'), permissions }]);
      await changeExtension(service, { hostUri: host.url });
      return (await askForKeys(service, host, ['SnapshotAPI'])).status < 400;
    },
  },
  'api-keys.in-the-alphabet-of-urls': {
    source: 'extensions: Acquiring API keys',
    breaks: 'An acquired key is Base64, as its holder decodes it.',
    variant: replaces('apiKeys', 'keyMember', (_right, _areas, key) => ({
      apiKey: Buffer.from(key, 'base64').toString('base64url'),
    })),
    survives: 'Which alphabet of Base64 an acquired key is written in is not said.',
    async shows(service) {
      const brought = await acquireKeys(service, await keyHost(service, 'AdministrationAPI'), ['AdministrationAPI']);
      const key = String(at(brought, '/AdministrationAPI/apiKey'));
      return Buffer.from(key, 'base64').toString('base64') !== key;
    },
  },
  'api-keys.those-that-are-new-alone': {
    source: 'extensions: Acquiring API keys, second sentence',
    breaks: 'The callback gets a member for each permission that was asked for, also for one that it had before.',
    variant: replaces('apiKeys', 'bringKeys', (right, areas, call, holder, request, keys) =>
      right(
        areas,
        call,
        holder,
        request,
        keys.filter(({ fresh }) => fresh),
      ),
    ),
    async shows(service) {
      const permissions = ['SnapshotAPI', 'AuthorizationAPI'];
      const host = await keyHost(service, ...permissions);
      await askForKeys(service, host, ['SnapshotAPI']);
      const second = await acquireKeys(service, host, permissions);
      return isContent(second) && !('SnapshotAPI' in second);
    },
  },
  'api-keys.those-of-before-come-along': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The keys that are asked for are brought, without those that were asked for before.',
    variant: breaks('apiKeys', 'grantedPermissions', (right) => {
      const all = new Map<string, readonly string[]>();
      return (areas, asked, configured) => {
        const granted = right(areas, [...(all.get(configured.join()) ?? []), ...asked], configured);
        all.set(configured.join(), granted);
        return granted;
      };
    }),
    async shows(service) {
      const host = await keyHost(service, 'AdministrationAPI', 'SnapshotAPI');
      await askForKeys(service, host, ['SnapshotAPI']);
      return at(await acquireKeys(service, host, ['AdministrationAPI']), '/SnapshotAPI') !== undefined;
    },
  },
  'keys.permission-that-was-withdrawn': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Only permissions that are configured can be asked for, and none that the metadata once had.',
    variant: breaks('apiKeys', 'acquireComplaint', (right) => {
      const once = new Map<string, ReadonlySet<string>>();
      return (areas, holder, request) => {
        const { registrationId, recordId, permissions } = holder;
        if (permissions === undefined) return right(areas, holder, request);
        const key = `${registrationId} ${recordId}`;
        const all = new Set([...(once.get(key) ?? []), ...permissions.permissions]);
        once.set(key, all);
        return right(areas, { ...holder, permissions: { ...permissions, permissions: [...all] } }, request);
      };
    }),
    async shows(service) {
      const host = await keyHost(service, 'SnapshotAPI', 'TaskUploadAPI');
      await askForKeys(service, host, ['TaskUploadAPI']);
      host.setRecords([{ ...recordOf('keys'), ...holderAt(host.url, 'TaskUploadAPI') }]);
      await changeExtension(service, { hostUri: host.url });
      return (await askForKeys(service, host, ['SnapshotAPI'])).status < 300;
    },
  },
  'keys.plain-for-trusted-endpoints': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The value of each permission is an object with the key, also for a trusted endpoint.',
    variant: replaces('apiKeys', 'bringKeys', (right, areas, call, holder, request, keys) =>
      right(
        holder.recordId === undefined ? within(areas, { apiKeys: { keyMember: (key: string) => key } }) : areas,
        call,
        holder,
        request,
        keys,
      ),
    ),
    async shows(service) {
      const host = await service.host([], always(200));
      const { permissions } = holderAt(host.url, 'SnapshotAPI');
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, permissions });
      return typeof at(await acquireKeys(service, host, ['SnapshotAPI'], 'hook'), '/SnapshotAPI') === 'string';
    },
  },
  'api-keys.the-extension-gets-what-it-asks-for': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Only configured permissions can be requested, also by the extension itself.',
    survives:
      'By which credential an extension asks is not said: ledger, acquire-credential. No profile binds its own signature.',
    variant: together(
      replaces('auth', 'authorize', (right, areas, user, access, call) => {
        right(areas, user, access, call);
        const id = call.params['extensionId'];
        if (id !== undefined) askingAt(areas.store).add(id);
      }),
      changes('apiKeys', 'acquireComplaint', (complaint, areas, holder) => {
        const isAdministrator = askingAt(areas.store).delete(holder.recordId ?? holder.registrationId);
        return !isAdministrator && complaint?.pointer?.startsWith('/permissions/') ? undefined : complaint;
      }),
    ),
    async shows(service) {
      const host = await keyHost(service, 'SnapshotAPI');
      const body = { tokenCallback: `${host.url}/keys`, permissions: ['AdministrationAPI'] };
      const authorization = `Bearer ${signatureOver(acquirePath('keys'), hostKey)}`;
      return (await service.nobody.post(acquirePath('keys'), body, { authorization })).status < 300;
    },
  },
  'api-keys.administrators-get-what-they-ask-for': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Only permissions of the metadata can be requested, by a Collection Administrator neither.',
    variant: (classes) => {
      let isAdministrator = false;
      const marked = replaces('auth', 'authorize', (right, areas, user, access, call) => {
        right(areas, user, access, call);
        isAdministrator = call.url.includes('/acquireAccessToken/');
      })(classes);
      return replaces('apiKeys', 'excessPermissions', (right, areas, asked, configured) => {
        const excess = isAdministrator ? [] : right(areas, asked, configured);
        isAdministrator = false;
        return excess;
      })(marked);
    },
    async shows(service) {
      const host = await keyHost(service, 'SnapshotAPI');
      return (await askForKeys(service, host, ['LicenseCommunicationAPI'])).status < 300;
    },
  },
  'keys.brought-once': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Keys that are asked for are brought to the callback, also those that were brought before.',
    variant: replaces('apiKeys', 'bringKeys', async (right, areas, call, holder, request, keys) =>
      keys.some(({ fresh }) => fresh) ? right(areas, call, holder, request, keys) : { status: 204 },
    ),
    async shows(service) {
      const host = await keyHost(service, 'AdministrationAPI');
      for (let count = 0; count < 2; count += 1) await askForKeys(service, host, ['AdministrationAPI']);
      return keysBroughtTo(host).length < 2;
    },
  },
  'api-keys.by-their-callback': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The id in the path tells whose permissions count, also where two are brought their keys at one address.',
    variant: replaces('apiKeys', 'keyHoldersOf', async (right, areas, reading, id) => {
      const holders = await right(areas, reading, id);
      const [{ registrationId = '', permissions } = {}] = holders;
      const registration = await areas.registry.registrationOf(reading, registrationId);
      if (registration?.kind !== 'svcExtension' || permissions === undefined) return holders;
      const first = registration.records.find((one) => one.permissions?.tokenCallback === permissions.tokenCallback);
      return holders.map((holder) => ({ ...holder, permissions: first?.permissions ?? permissions }));
    }),
    async shows(service) {
      const host = await service.host(
        (url) => [holderAt(url, 'SnapshotAPI'), { ...holderAt(url, 'TaskUploadAPI'), id: 'other' }],
        always(200),
      );
      return (await askForKeys(service, host, ['TaskUploadAPI'], 'other')).status >= 400;
    },
  },
};

function askingAt(store: object): Set<string> {
  const found = asking.get(store) ?? new Set<string>();
  asking.set(store, found);
  return found;
}
