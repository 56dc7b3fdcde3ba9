import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { administrationKey, many, signatureOver, spaceFiles, type Service } from '../service.ts';

const userFiles = '/api/space/main/user/fs/file';

export const filesMistakes: Batch = {
  'files.same-content-again': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload onto a file that exists fails, also when it brings what is there.',
    kind: 'value',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      const place = areas.files.streamPlaceOf(call, call.admitted);
      const info = await areas.fileStore.describe(place);
      const record = info?.kind === 'file' ? await areas.fileAreas.fileRecordOf(place, info.stamp) : undefined;
      const isSame = record?.md5 !== undefined && record.md5 === call.headers['checksum'];
      return isSame ? areas.fileAreas.createdFile(place) : right(areas, call);
    }),
    async shows({ edda }) {
      await edda.upload('same.txt', 'same');
      return (await edda.upload('same.txt', 'same')).status < 400;
    },
  },

  'files.token-for-the-user-area': {
    source: 'extensions: File routes, row 3',
    breaks: 'A token in the query opens a download, from the area of a user as well.',
    kind: 'place',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) => {
      return call.url.includes('/user/fs/') ? undefined : right(areas, call);
    }),
    async shows(service) {
      await service.edda.upload('own.txt', 'own', userFiles);
      const token = await tokenOf(service, 'edda');
      return (await service.nobody.get(`${userFiles}/own.txt?token=${token}`)).status !== 200;
    },
  },

  'files.chunks-in-the-order-of-texts': {
    source: 'extensions: File routes, chunk table',
    breaks: 'Chunks stand in a file by their numbers, the tenth behind the ninth.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
      const { number, chunkSize, totalChunks } = chunk;
      if (totalChunks < 10) return right(areas, chunk);
      return many(totalChunks, String).toSorted().indexOf(String(number)) * chunkSize;
    }),
    async shows({ edda }) {
      const pieces = many(11, (number) => String.fromCodePoint(96 + number).repeat(2));
      await edda.sendChunks('chunked.txt', pieces);
      return (await edda.get(`${spaceFiles}/chunked.txt`)).text !== pieces.join('');
    },
  },

  'files.chunks-of-a-user': {
    source: 'extensions: File areas',
    breaks: 'Chunks for the area of a user go there.',
    kind: 'place',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const place = right(areas, chunk, area);
      return area.kind === 'user' ? { ...place, area: { kind: 'space', spaceId: area.spaceId } } : place;
    }),
    async shows({ edda }) {
      await edda.sendChunks('chunked.txt', ['one'], userFiles);
      return (await edda.get(`${userFiles}/chunked.txt`)).status !== 200;
    },
  },

  'bulk.target-of-two-levels': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The files end up in the directory that is named as target, however deep it is.',
    kind: 'value',
    variant: replaces('bulkUpload', 'bulkTargetOf', (right, areas, request) => right(areas, request).slice(0, 1)),
    async shows(service) {
      const sourceDirectory = await sourceOf(service, ['file.txt']);
      const body = { sourceDirectory, writeLog: false, targetDirectory: '/deep/inside' };
      await service.bulk('/admin/fileupload/main', body);
      return (await service.edda.get(`${spaceFiles}/deep/inside/file.txt`)).status !== 200;
    },
  },

  'bulk.deleted-in-the-root-only': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Uploaded files are deleted from the source when that is asked for, those in its directories as well.',
    kind: 'place',
    variant: replaces('bulkUpload', 'isDeletedAfter', (right, areas, request, file) => {
      return !file.path.includes('/') && right(areas, request, file);
    }),
    async shows(service) {
      const sourceDirectory = await sourceOf(service, ['inside/file.txt']);
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return (await readdir(join(sourceDirectory, 'inside'))).length > 0;
    },
  },

  'bulk.participant-into-space': {
    source: 'extensions: File routes, row 7',
    breaks: 'A bulk upload for a participant goes into the area of the participant.',
    kind: 'place',
    variant: replaces('bulkUpload', 'bulkAreaOf', (right, areas, call) => {
      const area = right(areas, call);
      return area.kind === 'participant' ? areas.fileAreas.spaceArea(call) : area;
    }),
    async shows(service) {
      const sourceDirectory = await sourceOf(service, ['file.txt']);
      await service.bulk('/admin/fileupload/main/owner', { sourceDirectory, writeLog: false });
      return (await service.edda.get('/api/space/main/participant/owner/fs/file/file.txt')).status !== 200;
    },
  },

  'bulk.signature-of-the-shorter-path': {
    source: 'extensions: Authentication 2',
    breaks: 'What is signed is the path of the request, ids included.',
    kind: 'value',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      try {
        return await right(areas, call);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return right(areas, { ...call, url: '/admin/fileupload' });
      }
    }),
    async shows(service) {
      const sourceDirectory = await sourceOf(service, ['file.txt']);
      const authorization = `Bearer ${signatureOver('/admin/fileupload', administrationKey)}`;
      const body = { sourceDirectory, writeLog: false };
      return (await service.nobody.post('/admin/fileupload/main', body, { authorization })).status < 400;
    },
  },
};

/** A directory of the host with these files in it. */
async function sourceOf({ directory }: Service, paths: readonly string[]): Promise<string> {
  const source = await directory();
  for (const path of paths) {
    await mkdir(join(source, path, '..'), { recursive: true });
    await writeFile(join(source, path), path);
  }
  return source;
}
