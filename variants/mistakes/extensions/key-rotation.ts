import { keyPeriodSeconds } from '../../../contract/limits.ts';
import type { KeyHolder } from '../../../reference-server/areas/api-keys.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, Step, together, type Variant, within } from '../../breaks.ts';
import { always } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { acquireKeys, askForKeys, holderAt, keyHost, keysBroughtTo, registerEndpoint } from '../proofs.ts';
import { at } from '../service.ts';
import { changes, perServer } from '../variant-parts.ts';

/** Keys that were brought, by whom and what they are for. */
const brought = perServer(() => new Map<string, string>());

export const keyRotationMistakes: Mistakes = {
  'api-keys.ids-in-small-letters': {
    source: 'extensions: Authentication 5, first part',
    breaks: 'A trusted endpoint may ask for its keys, also where its id has capitals.',
    variant: replaces('apiKeys', 'endpointHolders', (right, areas, reading, id) =>
      right(areas, reading, id.toLowerCase()),
    ),
    async shows(service) {
      const host = await service.host([], always(200));
      const { permissions } = holderAt(host.url, 'SnapshotAPI');
      await registerEndpoint(service, 'trustedExternalEndpoint', { id: 'Hook', url: `${host.url}/hook`, permissions });
      return (await askForKeys(service, host, ['SnapshotAPI'], 'Hook')).status === 404;
    },
  },
  'api-keys.of-endpoints-stay': {
    source: 'extensions: Authentication 5; Limits, permission key rotation',
    breaks: 'Keys rotate every 24 hours, those of a trusted endpoint as well.',
    variant: replaces('apiKeys', 'issueKeys', (right, areas, writing, holder, permissions) => {
      const still = within(areas, { apiKeys: { isKeyDue: () => false, isKeyValid: () => true } });
      return right(holder.recordId === undefined ? still : areas, writing, holder, permissions);
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always(200) });
      const { permissions } = holderAt(host.url, 'SnapshotAPI');
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, permissions });
      const before = await acquireKeys(service, host, ['SnapshotAPI'], 'hook');
      await service.pass(25 * 3600);
      const after = await acquireKeys(service, host, ['SnapshotAPI'], 'hook');
      return at(before, '/SnapshotAPI/apiKey') === at(after, '/SnapshotAPI/apiKey');
    },
  },
  'keys.permissions-of-the-first-time': {
    source: 'extensions: Authentication 5',
    breaks: 'A trusted endpoint may ask for the permissions that are configured now.',
    variant: breaks('apiKeys', 'endpointHolders', (right) => {
      const known = new Map<string, readonly KeyHolder[]>();
      return async (areas, reading, id) => {
        const holders = await right(areas, reading, id);
        if (holders.length > 0 && !known.has(id)) known.set(id, holders);
        return known.get(id) ?? holders;
      };
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always(200) });
      const fields = { url: `${host.url}/hook`, permissions: holderAt(host.url, 'SnapshotAPI').permissions };
      await registerEndpoint(service, 'trustedExternalEndpoint', fields);
      await askForKeys(service, host, ['SnapshotAPI'], 'hook');
      const { permissions } = holderAt(host.url, 'TaskUploadAPI');
      const path = '/api/admin/trustedExternalEndpoint';
      const { json } = await service.cora.get(`${path}/hook`);
      await service.cora.put(`${path}/hook`, undefined, { ...Object(json), permissions });
      return (await askForKeys(service, host, ['SnapshotAPI'], 'hook')).status < 300;
    },
  },
  'api-keys.endpoints-get-the-first': {
    source: 'extensions: Authentication 5',
    breaks: 'A trusted endpoint may have keys for all its permissions in one request.',
    variant: replaces('apiKeys', 'bringKeys', (right, areas, call, holder, request, keys) =>
      right(areas, call, holder, request, holder.apiKey === undefined ? keys.slice(0, 1) : keys),
    ),
    async shows(service) {
      const host = await service.host([], always(200));
      const { permissions } = holderAt(host.url, 'SnapshotAPI', 'AdministrationAPI');
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, permissions });
      const keys = await acquireKeys(service, host, permissions.permissions, 'hook');
      return keys !== undefined && at(keys, '/AdministrationAPI') === undefined;
    },
  },
  'keys.more-than-an-endpoint-asked': {
    source: 'extensions: Authentication 5',
    breaks: 'A trusted endpoint gets the keys that it asked for, and no others of its configuration.',
    variant: replaces('apiKeys', 'issueKeys', (right, areas, writing, holder, permissions) => {
      const all = holder.recordId === undefined ? holder.permissions?.permissions : undefined;
      return right(areas, writing, holder, all ?? permissions);
    }),
    async shows(service) {
      const host = await service.host([], always(200));
      const { permissions } = holderAt(host.url, 'SnapshotAPI', 'AdministrationAPI');
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, permissions });
      return at(await acquireKeys(service, host, ['SnapshotAPI'], 'hook'), '/AdministrationAPI') !== undefined;
    },
  },
  'calls.other-keys-are-never-rotated': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'Each key is another one after 24 hours, not that of AdministrationAPI alone.',
    variant: (() => {
      const others = new Step();
      return together(
        replaces('apiKeys', 'issueKeys', async (right, areas, writing, holder, permissions) => {
          const keys = [];
          for (const permission of permissions) {
            const issue = () => right(areas, writing, holder, [permission]);
            keys.push(...(await (permission === 'AdministrationAPI' ? issue() : others.run(issue))));
          }
          return keys;
        }),
        replaces('apiKeys', 'isKeyDue', (right, areas, key) => !others.isOn() && right(areas, key)),
      );
    })(),
    async shows(service) {
      const host = await keyHost(service, 'SnapshotAPI');
      const before = await acquireKeys(service, host, ['SnapshotAPI']);
      await service.pass(keyPeriodSeconds + 1);
      const after = await acquireKeys(service, host, ['SnapshotAPI']);
      return at(before, '/SnapshotAPI/apiKey') === at(after, '/SnapshotAPI/apiKey');
    },
  },
  'keys.each-request-puts-rotation-off': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'A key is another one a day after it was issued, however often it was asked for meanwhile.',
    variant: breaks('apiKeys', 'isKeyDue', () => {
      const asked = new Map<string, number>();
      return (areas, { key, issuedAt }) => {
        const now = areas.clock.now();
        const isDue = now >= (asked.get(key) ?? issuedAt) + keyPeriodSeconds * 1000;
        asked.set(key, now);
        return isDue;
      };
    }),
    async shows(service) {
      const host = await keyHost(service, 'SnapshotAPI');
      const first = await acquireKeys(service, host, ['SnapshotAPI']);
      await service.pass(keyPeriodSeconds / 2);
      await askForKeys(service, host, ['SnapshotAPI']);
      await service.pass(keyPeriodSeconds / 2 + 1);
      const last = await acquireKeys(service, host, ['SnapshotAPI']);
      return at(first, '/SnapshotAPI/apiKey') === at(last, '/SnapshotAPI/apiKey');
    },
  },
  'api-keys.due-as-the-first-of-them': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'Every key is rotated after a day, also where one that is asked for with it is younger.',
    variant: (classes) => dueTogether()(classes),
    async shows(service) {
      const both = ['SnapshotAPI', 'AdministrationAPI'];
      const host = await keyHost(service, ...both);
      const first = await acquireKeys(service, host, ['AdministrationAPI']);
      await service.pass(12 * 3600);
      await askForKeys(service, host, ['SnapshotAPI']);
      await service.pass(12 * 3600 + 60);
      const last = await acquireKeys(service, host, both);
      return at(first, '/AdministrationAPI/apiKey') === at(last, '/AdministrationAPI/apiKey');
    },
  },
  'api-keys.young-as-long-as-they-are-asked-for': {
    source: 'extensions: Limits, row permission key rotation',
    breaks: 'A key is changed every day, also one that is asked for more often than that.',
    variant: changes('apiKeys', 'issueKeys', (keys, areas) =>
      keys.map((key) => ({ ...key, issuedAt: areas.clock.now() })),
    ),
    async shows(service) {
      const host = await keyHost(service, 'SnapshotAPI');
      const keys = new Set<unknown>();
      for (let count = 0; count < 5; count += 1) {
        keys.add(at(await acquireKeys(service, host, ['SnapshotAPI']), '/SnapshotAPI/apiKey'));
        await service.pass(13 * 3600);
      }
      return keys.size === 1;
    },
  },
  'api-keys.second-permission-keeps-its-key': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'After 24 hours every permission that is asked for gets another key, not the first one alone.',
    variant: replaces('apiKeys', 'issueKeys', async (right, areas, writing, holder, permissions) => {
      const [first = '', ...others] = permissions;
      const still = within(areas, { apiKeys: { isKeyDue: () => false } });
      return [...(await right(areas, writing, holder, [first])), ...(await right(still, writing, holder, others))];
    }),
    async shows(service) {
      const names = ['SnapshotAPI', 'LicenseCommunicationAPI'];
      const host = await keyHost(service, ...names);
      const before = await acquireKeys(service, host, names);
      await service.pass(keyPeriodSeconds + 1);
      const after = await acquireKeys(service, host, names);
      return at(before, '/LicenseCommunicationAPI/apiKey') === at(after, '/LicenseCommunicationAPI/apiKey');
    },
  },
  'api-keys.asked-at-once-come-once': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Every acquisition is answered by a POST to the callback, also of two at the same time.',
    variant: breaks('apiKeys', 'bringKeys', (right) => {
      const pending = new Map<string, ReturnType<typeof right>>();
      return async (areas, call, holder, request, keys) => {
        const key = JSON.stringify([holder.registrationId, holder.recordId, request]);
        const shared = pending.get(key) ?? right(areas, call, holder, request, keys);
        pending.set(key, shared);
        return shared.finally(() => pending.delete(key));
      };
    }),
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        always({ status: 200, delayMs: 200 }),
      );
      await Promise.all([1, 2].map(() => askForKeys(service, host, ['SnapshotAPI'])));
      return keysBroughtTo(host).length === 1;
    },
  },
  'key-rotation.failed-renewal-prolongs-the-old': {
    source: 'extensions: Permission names; Limits, permission key rotation',
    breaks: 'A key is another one after 24 hours, also where the first try to bring it fails.',
    variant: replaces('apiKeys', 'bringKeys', async (right, areas, call, holder, request, keys) => {
      const idOf = (permission: string): string =>
        JSON.stringify([permission, holder.registrationId, holder.recordId ?? null]);
      const known = brought(areas);
      try {
        const answer = await right(areas, call, holder, request, keys);
        for (const { permission, key } of keys) known.set(idOf(permission), key);
        return answer;
      } catch (error) {
        const { registrationId, recordId } = holder;
        await areas.store.change(async (writing) => {
          for (const { permission, fresh } of keys) {
            const former = known.get(idOf(permission));
            if (!fresh || former === undefined) continue;
            const kept = [{ key: former, issuedAt: areas.clock.now(), brought: true }];
            const text = JSON.stringify({ registrationId, recordId, permission, keys: kept });
            await writing.putDocument('apiKey', idOf(permission), text);
          }
        });
        throw error;
      }
    }),
    async shows(service) {
      const host = await keyHost(service, 'SnapshotAPI');
      const before = await acquireKeys(service, host, ['SnapshotAPI']);
      await service.pass(25 * 3600);
      host.setScript(always(500));
      await askForKeys(service, host, ['SnapshotAPI']);
      host.setScript(always(200));
      await askForKeys(service, host, ['SnapshotAPI']);
      const after = keysBroughtTo(host).at(-1);
      return at(before, '/SnapshotAPI/apiKey') === at(after, '/SnapshotAPI/apiKey');
    },
  },
};

/** Whether keys are due is asked of the first of those that are acquired together. */
function dueTogether(): Variant {
  let answer: boolean | undefined;
  return together(
    replaces('apiKeys', 'isKeyDue', (right, areas, key) => (answer ??= right(areas, key))),
    replaces('apiKeys', 'issueKeys', async (right, areas, writing, who, permissions) => {
      answer = undefined;
      return right(areas, writing, who, permissions);
    }),
  );
}
