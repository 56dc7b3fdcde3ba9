import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { many, md5, spaceFiles } from '../service.ts';

function keyOf({ area, segments }: FilePlace): string {
  return JSON.stringify([area, segments]);
}

export const files: Batch = {
  'chunks.in-the-order-of-their-texts': {
    source: 'extensions: File routes, resumableChunkNumber',
    breaks: 'The tenth chunk stands behind the second one in the file.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
      const order = many(chunk.totalChunks, String).toSorted();
      return right(areas, { ...chunk, number: order.indexOf(String(chunk.number)) + 1 });
    }),
    async shows({ edda }) {
      await edda.sendChunks(
        'eleven.txt',
        many(11, (number) => `${String(number).padStart(9, '0')}\n`),
      );
      const { text } = await edda.get(`${spaceFiles}/eleven.txt`);
      return !text.startsWith('000000001\n000000002\n');
    },
  },
  'files.empty-ones-are-not-kept': {
    source: 'extensions: File routes, row 1',
    breaks: 'A file without content is a file.',
    kind: 'value',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      if (call.headers['content-length'] !== '0') return right(areas, call);
      return areas.fileAreas.createdFile(areas.files.streamPlaceOf(call, call.admitted));
    }),
    async shows({ edda }) {
      await edda.upload('empty.txt', '');
      return (await edda.get(`${spaceFiles}/empty.txt`)).status !== 200;
    },
  },
  'files.download-kept-over-a-replacement': {
    source: 'extensions: Bulk upload request body, replaceFiles',
    breaks: 'A file that a bulk upload replaced is downloaded as it is now.',
    kind: 'copy',
    variant: breaks('files', 'downloadFile', (right) => {
      const kept = new Map<string, Buffer>();
      return async (areas, call) => {
        const answer = await right(areas, call);
        if (answer.status !== 200 || answer.stream === undefined) return answer;
        const pieces: Buffer[] = [];
        for await (const piece of answer.stream.content) pieces.push(Buffer.from(piece));
        const key = keyOf(areas.files.filePlaceOf(call, call.admitted));
        const raw = kept.get(key) ?? Buffer.concat(pieces);
        kept.set(key, raw);
        const { stream: _stream, ...rest } = answer;
        return { ...rest, raw };
      };
    }),
    async shows({ edda, directory, bulk }) {
      await edda.upload('changed.txt', 'before');
      await edda.get(`${spaceFiles}/changed.txt`);
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'changed.txt'), 'after');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await edda.get(`${spaceFiles}/changed.txt`)).text !== 'after';
    },
  },
  'files.half-of-the-checksum': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A checksum that is right at its beginning and wrong at its end is wrong.',
    kind: 'value',
    variant: replaces('fileAreas', 'checksumMatches', (right, areas, expected, found) =>
      right(areas, expected.slice(0, 16), found.slice(0, 16)),
    ),
    async shows({ edda }) {
      const sum = md5('content');
      const wrong = sum.slice(0, -1) + (sum.endsWith('0') ? '1' : '0');
      const headers = { checksum: wrong, 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/half.txt`, 'content', headers)).status < 300;
    },
  },
  'bulk.deletes-what-it-passed-over': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'Files are deleted from the source when they were uploaded, not when they were passed over.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (_right, _areas, { deleteFilesAfterUpload }, { status }) => deleteFilesAfterUpload && status !== 'failed',
    ),
    async shows({ edda, directory, bulk }) {
      await edda.upload('there.txt', 'before');
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'there.txt'), 'after');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return (await readdir(sourceDirectory)).length === 0;
    },
  },
  'bulk.keeps-one-directory-only': {
    source: 'extensions: Bulk upload request body, targetDirectory',
    breaks: 'The structure of the source ends up in the area, directories in directories too.',
    kind: 'place',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, path.length > 2 ? [...path.slice(0, 1), ...path.slice(-1)] : path),
    ),
    async shows({ directory, bulk, edda }) {
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, 'one', 'two'), { recursive: true });
      await writeFile(join(sourceDirectory, 'one', 'two', 'deep.txt'), 'deep');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/one/two/deep.txt`)).status !== 200;
    },
  },
  'files.deleted-in-all-areas-of-the-space': {
    source: 'extensions: File routes, row 4',
    breaks: 'A deletion in the area of the space leaves the file of the same path in that of the user.',
    kind: 'place',
    variant: replaces('files', 'removeFile', async (right, areas, call) => {
      const answer = await right(areas, call);
      const { area, segments } = areas.files.filePlaceOf(call, call.admitted);
      const user = await areas.fileAreas.authenticateFile(call);
      if (area.kind === 'space')
        await areas.files.deleteFile({ area: { ...area, kind: 'user', userName: user.name }, segments });
      return answer;
    }),
    async shows({ edda }) {
      const own = '/api/space/main/user/fs/file';
      await edda.upload('twice.txt', 'mine', own);
      await edda.upload('twice.txt', 'ours');
      await edda.delete(`${spaceFiles}/twice.txt`);
      return (await edda.get(`${own}/twice.txt`)).status !== 200;
    },
  },
};
