import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, changeExtension, registerEndpoint } from '../proofs.ts';
import { at, signatureOver, type Service } from '../service.ts';

const bulkPath = '/admin/fileupload/main';

/** An empty directory of the host with one file in it. */
async function directoryWith(service: Service, name: string): Promise<string> {
  const directory = await service.directory();
  await writeFile(join(directory, name), name);
  return directory;
}

export const filesMistakes: Batch = {
  'bulk.signature-that-passed-once': {
    source: 'extensions: Permission names',
    breaks: 'A signature under a key that has been rotated away opens nothing, also one that opened something before.',
    kind: 'copy',
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
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: ['AdministrationAPI'] } }],
        [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
      );
      await service.cora.post('/api/collection/externalExtension/acquireAccessToken/keys', {
        tokenCallback: `${host.url}/keys`,
        permissions: ['AdministrationAPI'],
      });
      const [callback] = host.entries(({ path }) => path === '/keys');
      const key = String(at(callback?.json, '/AdministrationAPI/apiKey'));
      const body = { sourceDirectory: await directoryWith(service, 'rotated.txt'), writeLog: false };
      const headers = { authorization: `Bearer ${signatureOver(bulkPath, key)}` };
      const before = await service.nobody.post(bulkPath, body, headers);
      await service.pass(24 * 3600, 2);
      const after = await service.nobody.post(bulkPath, body, headers);
      return before.status < 300 && after.status < 300;
    },
  },
};

export const keyMistakes: Batch = {
  'keys.permission-that-was-withdrawn': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Only permissions that are configured can be asked for, and none that the metadata once had.',
    kind: 'copy',
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
      const permissionsAt = (url: string, permissions: readonly string[]) => ({
        permissions: { tokenCallback: `${url}/keys`, permissions },
      });
      const host = await service.host(
        (url) => [{ id: 'keys', ...permissionsAt(url, ['SnapshotAPI', 'TaskUploadAPI']) }],
        [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
      );
      const acquire = (permission: string) =>
        service.cora.post('/api/collection/externalExtension/acquireAccessToken/keys', {
          tokenCallback: `${host.url}/keys`,
          permissions: [permission],
        });
      await acquire('TaskUploadAPI');
      host.setRecords([
        {
          id: 'keys',
          version: '1.0.1',
          name: 'keys',
          endpoint: '/keys-event',
          extensionType: 'ExternalEvent',
          category: 'proof',
          ...permissionsAt(host.url, ['TaskUploadAPI']),
        },
      ]);
      await changeExtension(service, { hostUri: host.url });
      return (await acquire('SnapshotAPI')).status < 300;
    },
  },

  'keys.plain-for-trusted-endpoints': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The value of each permission is an object with the key, also for a trusted endpoint.',
    kind: 'place',
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
      const host = await service.host(() => [], always({ status: 200 }));
      const tokenCallback = `${host.url}/keys`;
      await registerEndpoint(service, 'trustedExternalEndpoint', {
        url: `${host.url}/hook`,
        permissions: { permissions: ['SnapshotAPI'], tokenCallback },
      });
      await service.cora.post('/api/collection/externalExtension/acquireAccessToken/hook', {
        tokenCallback,
        permissions: ['SnapshotAPI'],
      });
      const [callback] = host.entries(({ path }) => path === '/keys');
      return typeof at(callback?.json, '/SnapshotAPI') === 'string';
    },
  },
};
