import { keyPeriodSeconds } from '../../../contract/limits.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, signatureOver, type Service } from '../service.ts';

type Permission = 'AdministrationAPI' | 'LicenseCommunicationAPI' | 'SnapshotAPI';

export const accessMistakes: Batch = {
  'bulk.acquired-key-as-text': {
    source: 'extensions: Authentication 2',
    breaks: 'The key is decoded from Base64, be it the first one or one that was acquired later.',
    kind: 'place',
    variant: replaces('apiKeys', 'acquiredAdministrationKeys', async (right, areas, reading) => {
      const keys = await right(areas, reading);
      return keys.map((key) => Buffer.from(key).toString('base64'));
    }),
    async shows(service) {
      const host = await keyHost(service, ['AdministrationAPI']);
      const keys = await acquired(service, host, ['AdministrationAPI']);
      const key = String(at(keys, '/AdministrationAPI/apiKey'));
      const authorization = `Bearer ${signatureOver('/admin/fileupload', key)}`;
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      return (await service.nobody.post('/admin/fileupload', body, { authorization })).status >= 300;
    },
  },
  'api-keys.second-permission-keeps-its-key': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'After 24 hours every permission that is asked for gets another key, not the first one alone.',
    kind: 'place',
    variant: replaces('apiKeys', 'issueKeys', async (right, areas, writing, holder, permissions) => {
      const [first = '', ...others] = permissions;
      const still = within(areas, { apiKeys: { isKeyDue: () => false } });
      return [...(await right(areas, writing, holder, [first])), ...(await right(still, writing, holder, others))];
    }),
    async shows(service) {
      const names = ['SnapshotAPI', 'LicenseCommunicationAPI'] as const;
      const host = await keyHost(service, names);
      const before = await acquired(service, host, names);
      await service.pass(keyPeriodSeconds + 1);
      const after = await acquired(service, host, names);
      const pointer = '/LicenseCommunicationAPI/apiKey';
      return at(before, pointer) === at(after, pointer);
    },
  },
  'api-keys.a-restart-begins-the-day-anew': {
    source: 'extensions: Permission names, text below',
    breaks: 'A key is rotated 24 hours after it was issued, whether the service was started anew meanwhile or not.',
    kind: 'combination',
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
      const host = await keyHost(service, ['SnapshotAPI']);
      const before = await acquired(service, host, ['SnapshotAPI']);
      await service.restart();
      await service.pass(keyPeriodSeconds + 1);
      const after = await acquired(service, host, ['SnapshotAPI']);
      return at(before, '/SnapshotAPI/apiKey') === at(after, '/SnapshotAPI/apiKey');
    },
  },
  'api-keys.snapshots-come-first-or-not': {
    source: 'extensions: Permission names, SnapshotAPI',
    breaks: 'The key for snapshots is brought wherever in the list it is asked for.',
    kind: 'place',
    variant: replaces('apiKeys', 'grantedPermissions', (right, areas, ...args) =>
      right(areas, ...args).filter((name, index) => name !== 'SnapshotAPI' || index === 0),
    ),
    async shows(service) {
      const names = ['LicenseCommunicationAPI', 'SnapshotAPI'] as const;
      const keys = await acquired(service, await keyHost(service, names), names);
      return at(keys, '/SnapshotAPI') === undefined;
    },
  },
  'access.anybody-lists-a-user-area': {
    source: 'core: What the service does',
    breaks: 'Without a role in the space no route below it opens, the listing of the own files neither.',
    kind: 'place',
    variant: replaces(
      'fileAreas',
      'mayUseArea',
      (right, areas, user, area, call) =>
        (area.kind === 'user' && call.url.includes('/user/fs/dir')) || right(areas, user, area, call),
    ),
    shows: async ({ nora }) => (await nora.get('/api/space/main/user/fs/dir')).status === 200,
  },
};

/** A host whose only record, `keys`, may have keys for the permissions. */
function keyHost(service: Service, permissions: readonly Permission[]): Promise<ExtensionHost> {
  return service.host(
    (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions } }],
    [{ steps: [{ status: 200 }], afterwards: 'last' }],
  );
}

/** What the callback was brought. */
async function acquired({ cora }: Service, host: ExtensionHost, permissions: readonly Permission[]): Promise<unknown> {
  const body = { tokenCallback: `${host.url}/keys`, permissions };
  await cora.post('/api/collection/externalExtension/acquireAccessToken/keys', body);
  return host.entries(({ path }) => path === '/keys').at(-1)?.json;
}
