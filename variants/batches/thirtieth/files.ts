import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, changeExtension, isThere, registerEndpoint } from '../proofs.ts';
import { administrationKey, at, many, signatureOver, spaceFiles, type Service } from '../service.ts';

const bulkPath = '/admin/fileupload/main';

const userFiles = '/api/space/main/user/fs/file';

/** An empty directory of the host with one file in it. */
async function directoryWith(service: Service, name: string): Promise<string> {
  const directory = await service.directory();
  await writeFile(join(directory, name), name);
  return directory;
}

export const filesMistakes: Batch = {
  'chunks.ten-or-more': {
    source: 'extensions: File routes',
    breaks: 'Chunks are put in the order of their numbers, and of no texts.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, chunkSize, totalChunks }) => {
      const names = Array.from({ length: totalChunks }, (_, index) => String(index + 1)).toSorted();
      return names.indexOf(String(number)) * chunkSize;
    }),
    async shows({ edda }) {
      const pieces = many(11, (number) => `${number} `.slice(0, 2));
      await edda.sendChunks('eleven.txt', pieces);
      return (await edda.get(`${spaceFiles}/eleven.txt`)).text !== pieces.join('');
    },
  },

  'chunks.directories-of-a-user': {
    source: 'extensions: File routes',
    breaks: 'The target path has its subdirectories, in the area of a user as in any other.',
    kind: 'place',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const place = right(areas, chunk, area);
      return area.kind === 'user' ? { ...place, segments: place.segments.slice(-1) } : place;
    }),
    async shows({ edda }) {
      await edda.sendChunks('folder/own.txt', ['ab', 'c'], userFiles);
      return (await edda.get(`${userFiles}/folder/own.txt`)).status !== 200;
    },
  },

  'bulk.signature-in-any-case': {
    source: 'extensions: Authentication',
    breaks: 'A signature is the text that Base64 makes of the bytes, in which the case of a letter counts.',
    kind: 'value',
    variant: replaces('signing', 'sameSignature', (right, areas, given, expected) =>
      right(areas, given.toLowerCase(), expected.toLowerCase()),
    ),
    async shows(service) {
      const sourceDirectory = await directoryWith(service, 'case.txt');
      const signature = signatureOver(bulkPath, administrationKey).toUpperCase();
      const answer = await service.nobody.post(
        bulkPath,
        { sourceDirectory, writeLog: false },
        { authorization: `Bearer ${signature}` },
      );
      return answer.status < 300;
    },
  },

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

  'bulk.replaced-files-stay-in-the-source': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Uploaded files go from the source when that is asked for, also those that replaced another.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => file.status !== 'replaced' && right(areas, request, file),
    ),
    async shows(service) {
      await service.edda.upload('twice.txt', 'before');
      const sourceDirectory = await directoryWith(service, 'twice.txt');
      await service.bulk(bulkPath, {
        sourceDirectory,
        writeLog: false,
        replaceFiles: true,
        deleteFilesAfterUpload: true,
      });
      return isThere(join(sourceDirectory, 'twice.txt'));
    },
  },

  'bulk.target-of-a-participant': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The target directory lies in the area of the path, that of a participant as well.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(
        areas,
        area.kind === 'participant' && target.length > 0 ? { kind: 'space', spaceId: area.spaceId } : area,
        target,
        path,
      ),
    ),
    async shows(service) {
      const sourceDirectory = await directoryWith(service, 'owned.txt');
      const body = { sourceDirectory, writeLog: false, targetDirectory: 'folder' };
      await service.bulk('/admin/fileupload/main/owner', body);
      const path = '/api/space/main/participant/owner/fs/file/folder/owned.txt';
      return (await service.edda.get(path)).status !== 200;
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
