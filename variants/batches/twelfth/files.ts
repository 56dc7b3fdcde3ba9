import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { md5, type Service, signatureOver, administrationKey, spaceFiles } from '../service.ts';
import { sendPiece } from './proofs.ts';
import { isThere, tokenOf } from '../proofs.ts';

/** A directory of the host with these files, by their paths. */
async function sourceOf(service: Service, files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await service.directory();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return directory;
}

const bulk = '/admin/fileupload/main';

export const files: Batch = {
  'files.checksum-counts-by-its-first-half': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is validated against the whole checksum, to its last digit.',
    kind: 'value',
    variant: replaces(
      'fileAreas',
      'checksumMatches',
      (_right, _areas, expected, found) => expected.slice(0, 16) === found.slice(0, 16),
    ),
    async shows({ edda }) {
      const right = md5('content');
      const checksum = right.slice(0, 31) + (right.endsWith('0') ? '1' : '0');
      const headers = { checksum, 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/c.txt`, 'content', headers)).status < 300;
    },
  },
  'files.empty-file-is-none': {
    source: 'extensions: File routes, row 3',
    breaks: 'A file without content is a file, and its download does not fail.',
    kind: 'value',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const answer = await right(areas, call);
      if (answer.stream?.size !== 0) return answer;
      answer.stream.content.destroy();
      throw areas.files.missingFile(areas.files.filePlaceOf(call, call.admitted));
    }),
    async shows({ edda }) {
      await edda.upload('empty.txt', '');
      return (await edda.get(`${spaceFiles}/empty.txt`)).status !== 200;
    },
  },
  'chunks.full-last-one-is-no-last-one': {
    source: 'extensions: File routes, chunk table',
    breaks: 'A size that the chunk size divides makes size by chunk size chunks, and not one more.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      const isDivided = chunk.totalSize > 0 && chunk.totalSize % chunk.chunkSize === 0;
      if (isDivided && chunk.number === chunk.totalChunks) throw new Refusal(400, 'Expected one more chunk.');
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      await sendPiece(edda, 'full.txt', '0123456789'.repeat(2), 10, 1);
      return (await sendPiece(edda, 'full.txt', '0123456789'.repeat(2), 10, 2)).status >= 300;
    },
  },
  'chunks.uploads-of-one-path-in-two-areas-are-one': {
    source: 'extensions: File areas',
    breaks: 'What came of a file in one area is nothing of a file of that path in another.',
    kind: 'place',
    variant: replaces('fileAreas', 'uploadIdOf', (_right, _areas, { segments }) => segments.join('/')),
    async shows({ edda }) {
      const own = '/api/space/main/user/fs/file';
      const text = '0123456789abcdefghij';
      await sendPiece(edda, 'both.txt', text, 10, 1);
      await sendPiece(edda, 'both.txt', text, 10, 1, own);
      const ends = [
        await sendPiece(edda, 'both.txt', text, 10, 2),
        await sendPiece(edda, 'both.txt', text, 10, 2, own),
      ];
      return ends.some(({ status }) => status >= 300);
    },
  },
  'files.query-token-only-as-the-first-parameter': {
    source: 'extensions: File routes, row 3',
    breaks: 'The token of a download is found in the query whatever stands before it there.',
    kind: 'value',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) =>
      call.url.includes('?token=') ? right(areas, call) : undefined,
    ),
    async shows(service) {
      await service.edda.upload('q.txt', 'q');
      const token = await tokenOf(service, 'edda');
      return (await service.nobody.get(`${spaceFiles}/q.txt?v=2&token=${token}`)).status !== 200;
    },
  },
  'files.delete-takes-what-begins-alike': {
    source: 'extensions: File routes, row 4',
    breaks: 'A DELETE deletes its file and no other, whatever names begin with that one.',
    kind: 'value',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const name = place.segments.at(-1) ?? '';
      const folder = { ...place, segments: place.segments.slice(0, -1) };
      const deleted = await right(areas, place);
      for (const other of (await areas.fileStore.list(folder)) ?? [])
        if (deleted && other.kind === 'file' && other.name.startsWith(name))
          await areas.fileStore.remove({ ...folder, segments: [...folder.segments, other.name] });
      return deleted;
    }),
    async shows({ edda }) {
      await edda.upload('d/r.txt', 'one');
      await edda.upload('d/r.txt.1', 'other');
      await edda.delete(`${spaceFiles}/d/r.txt`);
      return (await edda.get(`${spaceFiles}/d/r.txt.1`)).status !== 200;
    },
  },
  'bulk.files-below-a-directory-are-replaced': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Without replaceFiles no file that is there gives way, in subdirectories neither.',
    kind: 'place',
    variant: replaces('bulkUpload', 'uploadSourceFile', (right, areas, run, entry) => {
      const request = { ...run.request, replaceFiles: run.request.replaceFiles || entry.path.length > 1 };
      return right(areas, { ...run, request }, entry);
    }),
    async shows(service) {
      const { edda } = service;
      await edda.upload('sub/a.txt', 'old');
      const sourceDirectory = await sourceOf(service, { 'sub/a.txt': 'new' });
      await service.bulk(bulk, { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/sub/a.txt`)).text === 'new';
    },
  },
  'bulk.what-was-not-uploaded-is-deleted': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Only files that were uploaded are deleted from the source, none that had to stay out.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (_right, _areas, { deleteFilesAfterUpload }) => deleteFilesAfterUpload,
    ),
    async shows(service) {
      await service.edda.upload('kept.txt', 'old');
      const sourceDirectory = await sourceOf(service, { 'kept.txt': 'new' });
      await service.bulk(bulk, { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return !(await isThere(join(sourceDirectory, 'kept.txt')));
    },
  },
  'bulk.no-log-where-a-file-stayed-out': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The log is written when the upload finishes, also of a run in which files were not taken.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      const isWhole = report.files.every(({ status }) => status === 'uploaded' || status === 'replaced');
      if (isWhole) await right(areas, source, report);
    }),
    async shows(service) {
      await service.edda.upload('kept.txt', 'old');
      const sourceDirectory = await sourceOf(service, { 'kept.txt': 'new' });
      await service.bulk(bulk, { sourceDirectory, writeLog: true });
      return !(await readdir(sourceDirectory)).some((name) => name.startsWith('FileUpload_'));
    },
  },
  'bulk.signature-of-the-path-above-opens-a-space': {
    source: 'extensions: Authentication 2',
    breaks: 'What is signed is the path of the request, and no path that it begins with.',
    kind: 'role',
    variant: replaces('signing', 'isSignatureOf', (right, areas, key, path, given) => {
      const above = path.startsWith('/admin/fileupload/') ? '/admin/fileupload' : path;
      return right(areas, key, path, given) || right(areas, key, above, given);
    }),
    async shows(service) {
      const sourceDirectory = await sourceOf(service, { 'a.txt': 'a' });
      const authorization = `Bearer ${signatureOver('/admin/fileupload', administrationKey)}`;
      const answer = await service.nobody.post(bulk, { sourceDirectory, writeLog: false }, { authorization });
      return answer.status === 200;
    },
  },
};
