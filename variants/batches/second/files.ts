import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { administrationKey, many, md5, signatureOver, spaceFiles, type Service } from '../service.ts';
import { grantedToken } from './token.ts';

const userFiles = '/api/space/main/user/fs/file';

const bulkPath = '/admin/fileupload/main';

export const filesMistakes: Batch = {
  'files.empty-without-checksum': {
    source: 'extensions: File routes',
    breaks: 'The header checksum is mandatory for a stream upload, also of a file without content.',
    kind: 'value',
    variant: replaces('fileAreas', 'expectedChecksum', (right, areas, call) => {
      return call.headers['content-length'] === '0' ? undefined : right(areas, call);
    }),
    async shows({ edda }) {
      const { status } = await edda.post(`${spaceFiles}/stream/empty.txt`, '', {
        'Content-Type': 'text/plain',
      });
      return status < 300;
    },
  },

  'files.query-token-of-user-area': {
    source: 'extensions: Authentication 1',
    breaks: 'A download may bring its token in the query, from the area of the user as from any other.',
    kind: 'place',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) => {
      return call.url.includes('/user/fs/') ? undefined : right(areas, call);
    }),
    async shows(service) {
      await service.edda.upload('mine.txt', 'mine', userFiles);
      const token = await grantedToken(service, 'edda');
      return (await service.nobody.get(`${userFiles}/mine.txt?token=${token}`)).status !== 200;
    },
  },

  'files.uploads-at-once': {
    source: 'extensions: File routes',
    breaks: 'A stream upload fails when the file exists: of several to one path, sent at once, one is accepted.',
    kind: 'moment',
    variant: replaces('files', 'storeStream', async (_right, areas, place, call, content, checksum) => {
      const type = call.headers['content-type'] ?? '';
      await setTimeout(50);
      await areas.fileStore.write(place, content, {
        replace: true,
        async accept({ md5, stamp }) {
          areas.fileAreas.assertChecksum(checksum, md5);
          await areas.fileAreas.keepFileRecord(place, stamp, { type, md5 });
        },
      });
    }),
    async shows({ edda }) {
      const answers = await Promise.all(many(6, (number) => edda.upload('contested.txt', `take ${number}`)));
      return answers.filter(({ status }) => status < 300).length > 1;
    },
  },

  'files.chunks-in-order-of-text': {
    source: 'extensions: File routes',
    breaks: 'A file is put together in the order of its chunk numbers, also when there are ten of them or more.',
    kind: 'place',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, chunkSize, totalChunks }) => {
      const inOrderOfText = many(totalChunks, String).toSorted();
      return inOrderOfText.indexOf(String(number)) * chunkSize;
    }),
    async shows({ edda }) {
      const pieces = many(12, (number) => String.fromCharCode(64 + number).repeat(4));
      for (const [index, piece] of pieces.entries()) {
        const form = chunkForm('letters.txt', piece, index + 1, pieces.length);
        const headers = { checksum: md5(piece), 'Content-Type': 'multipart/form-data; boundary=edge' };
        await edda.post(spaceFiles, form, headers);
      }
      return (await edda.get(`${spaceFiles}/letters.txt`)).text !== pieces.join('');
    },
  },
};

export const bulkMistakes: Batch = {
  'bulk.removal-of-skipped': {
    source: 'extensions: Bulk upload request body',
    breaks:
      'The files that were uploaded are deleted from the source; one that was not, as there was one before it, stays.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'isDeletedAfter', (_right, _areas, { deleteFilesAfterUpload }, { status }) => {
      return deleteFilesAfterUpload && status !== 'failed';
    }),
    async shows(service) {
      await service.edda.upload('there.txt', 'before');
      const sourceDirectory = await directoryWith(service, 'there.txt');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return !existsSync(join(sourceDirectory, 'there.txt'));
    },
  },

  'bulk.signature-of-collection': {
    source: 'extensions: Authentication 2',
    breaks: 'The bearer of a bulk upload is the signature of its own path; that of the path above opens nothing below.',
    kind: 'role',
    variant: replaces('signing', 'isSignatureOf', (right, areas, apiKey, path, given) => {
      const isAbove = path.startsWith('/admin/') && right(areas, apiKey, dirname(path), given);
      return isAbove || right(areas, apiKey, path, given);
    }),
    async shows(service) {
      const sourceDirectory = await directoryWith(service, 'smuggled.txt');
      const authorization = `Bearer ${signatureOver(dirname(bulkPath), administrationKey)}`;
      await service.nobody.post(bulkPath, { sourceDirectory, writeLog: false }, { authorization });
      return (await service.edda.get(`${spaceFiles}/smuggled.txt`)).status === 200;
    },
  },
};

/** A source of a bulk upload with one file in it. */
async function directoryWith(service: Service, path: string): Promise<string> {
  const directory = await service.directory();
  await writeFile(join(directory, path), 'from the source');
  return directory;
}

/** One chunk of a file whose chunks are of one size. Source: extensions, File routes, chunk table */
function chunkForm(name: string, piece: string, number: number, count: number): string {
  const texts = {
    resumableTotalSize: piece.length * count,
    resumableChunkNumber: number,
    resumableChunkSize: piece.length,
    resumableCurrentChunkSize: piece.length,
    resumableTotalChunks: count,
    resumableType: 'text/plain',
    resumableFilename: name,
    resumableRelativePath: name,
  };
  const parts = Object.entries(texts).map(([part, value]) => `name="${part}"\r\n\r\n${value}`);
  const all = [...parts, `name="file"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n${piece}`];
  return `${all.map((part) => `--edge\r\nContent-Disposition: form-data; ${part}\r\n`).join('')}--edge--\r\n`;
}
