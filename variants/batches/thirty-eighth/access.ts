import { keyPeriodSeconds } from '../../../contract/limits.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, administrationKey, signatureOver, type Service } from '../service.ts';

type Permission = 'AdministrationAPI' | 'LicenseCommunicationAPI' | 'SnapshotAPI';

export const accessMistakes: Batch = {
  'bulk.space-signature-opens-its-participants': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature is that of the request path: that of the space opens no participant.',
    kind: 'place',
    variant: replaces('signing', 'isSignatureOf', (right, areas, key, path, given) => {
      const parent = /^(\/admin\/fileupload\/[^/]+)\/[^/]+$/.exec(path)?.[1];
      return right(areas, key, path, given) || (parent !== undefined && right(areas, key, parent, given));
    }),
    async shows({ nobody, directory }) {
      const authorization = `Bearer ${signatureOver('/admin/fileupload/main', administrationKey)}`;
      const body = { sourceDirectory: await directory(), writeLog: false };
      return (await nobody.post('/admin/fileupload/main/owner', body, { authorization })).status < 300;
    },
  },
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
  'access.no-basic-upload-for-participants': {
    source: 'core: Authentication 5',
    breaks: 'A personal access token is the password in Basic authentication, for uploads to participants too.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileCredentialsOf', (right, areas, call) => {
      const credentials = right(areas, call);
      const isRefused = call.method === 'POST' && call.params['participantId'] !== undefined;
      return isRefused && credentials?.scheme === 'basic' ? undefined : credentials;
    }),
    async shows({ nobody }) {
      const basic = Buffer.from('edda:svcpat-edda-7d1c0b9e5a').toString('base64');
      const path = '/api/space/main/participant/owner/fs/file/stream/a.txt';
      const headers = { authorization: `Basic ${basic}`, checksum: '900150983cd24fb0d6963f7d28e17f72' };
      return (await nobody.post(path, 'abc', { ...headers, 'content-type': 'text/plain' })).status === 401;
    },
  },
  'access.encoded-password': {
    source: 'core: Authentication 3',
    breaks: 'The fields of the token form are encoded as its content type says, the password too.',
    kind: 'value',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      const form = right(areas, call);
      const raw = /(?:^|&)password=([^&]*)/.exec(call.body?.toString() ?? '')?.[1];
      return raw === undefined ? form : new Map([...form, ['password', raw.replaceAll('+', ' ')]]);
    }),
    async shows({ nobody }) {
      const form = 'grant_type=password&username=edda&password=edda%2Dpassword&scope=All';
      const answer = await nobody.post('/auth/token', form, {
        authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      });
      return answer.status !== 200;
    },
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
