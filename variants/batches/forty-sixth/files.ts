import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { unknownType } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { md5, spaceFiles, type Service } from '../service.ts';

/** Longest content whose checksum somebody would take the time for. */
const smallBytes = 100_000;
const sampleChunkBytes = 4 * 1024 * 1024;
const bulk = new Step();
const chunksSeen = new Set<string>();

function keyOf({ area, segments }: FilePlace): string {
  return JSON.stringify([area, segments]);
}

/** A directory of the host with these files in it. */
async function sourceWith(service: Service, files: Readonly<Record<string, string>>, name = ''): Promise<string> {
  const source = join(await service.directory(), name);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(source, path, '..'), { recursive: true });
    await writeFile(join(source, path), content);
  }
  return source;
}

/** Bulk uploads. */
export const bulkMistakes: Batch = {
  'bulk.percent-sign-in-the-source': {
    source: 'extensions: Bulk upload request body, sourceDirectory',
    breaks: 'The source is the directory of that name, with a percent sign in it too.',
    kind: 'value',
    variant: replaces('bulkUpload', 'bulkSettingsFrom', (right, areas, body) => {
      const settings = right(areas, body);
      return { ...settings, sourceDirectory: decodeURIComponent(settings.sourceDirectory) };
    }),
    async shows(service) {
      const sourceDirectory = await sourceWith(service, { 'a.txt': 'a' }, 'a%20b');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).status === 404;
    },
  },

  'bulk.no-log-of-nothing': {
    source: 'extensions: Bulk upload request body, writeLog',
    breaks: 'The log is written when the upload has finished, one of no file too.',
    kind: 'value',
    survives: 'What a bulk upload of an empty directory is answered with is not said.',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      if (report.files.length > 0) await right(areas, source, report);
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: true });
      return (await readdir(sourceDirectory)).length === 0;
    },
  },

  'bulk.name-of-the-target-once': {
    source: 'extensions: Bulk upload request body, targetDirectory',
    breaks: 'The structure ends up in the target, with a directory in it that is called as the target is too.',
    kind: 'value',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, path.length > 1 && target.at(-1) === path[0] ? target.slice(0, -1) : target, path),
    ),
    async shows(service) {
      const sourceDirectory = await sourceWith(service, { 'docs/a.txt': 'a' });
      const body = { sourceDirectory, writeLog: false, targetDirectory: 'docs' };
      await service.bulk('/admin/fileupload/main', body);
      return (await service.edda.get(`${spaceFiles}/docs/a.txt`)).status === 200;
    },
  },

  'bulk.subdirectories-stay': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'The uploaded files are deleted from the source, those in its subdirectories too.',
    kind: 'place',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, settings, file) => !file.path.includes('/') && right(areas, settings, file),
    ),
    async shows(service) {
      const sourceDirectory = await sourceWith(service, { 'docs/a.txt': 'a' });
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return isThere(join(sourceDirectory, 'docs/a.txt'));
    },
  },

  'bulk.tag-of-what-was-replaced': {
    source: 'extensions: File routes, POST /admin/fileupload/{spaceId}',
    breaks: 'A file that a bulk upload has replaced is other data, so that its ETag is another one.',
    kind: 'copy',
    variant: together(
      replaces('bulkUpload', 'runBulkUpload', (right, ...args) => bulk.run(() => right(...args))),
      breaks('fileAreas', 'keepFileRecord', (right) => {
        const sums = new Map<string, string>();
        return (areas, place, stamp, record) => {
          const key = keyOf(place);
          const known = bulk.isOn() ? sums.get(key) : undefined;
          if (record.md5 !== undefined && known === undefined) sums.set(key, record.md5);
          return right(areas, place, stamp, known === undefined ? record : { ...record, md5: known });
        };
      }),
    ),
    async shows(service) {
      await service.edda.upload('a.txt', 'old');
      const etag = (await service.edda.get(`${spaceFiles}/a.txt`)).headers.get('etag') ?? '';
      const sourceDirectory = await sourceWith(service, { 'a.txt': 'new' });
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/a.txt`, { 'If-None-Match': etag })).status === 304;
    },
  },
};

/** Streams and chunks. */
export const uploadMistakes: Batch = {
  'stream.checksum-of-small-files': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is validated against its checksum, one of more than is recommended too.',
    kind: 'value',
    variant: replaces('files', 'storeStream', (right, areas, place, call, content, checksum) =>
      right(areas, place, call, content, Number(call.headers['content-length']) > smallBytes ? undefined : checksum),
    ),
    async shows({ edda }) {
      const content = 'a'.repeat(smallBytes + 1);
      const headers = { checksum: md5('b'), 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/a.txt`, content, headers)).status < 300;
    },
  },

  'stream.existence-is-asked-first': {
    source: 'extensions: File routes, stream upload',
    breaks: 'An upload fails when the file exists, also one that came while this one was on its way.',
    kind: 'moment',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const pieces: Uint8Array[] = [];
      try {
        await right(areas, place, call, keptIn(pieces, content), checksum);
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 409) throw error;
        const type = call.headers['content-type'] ?? unknownType;
        const accept = ({ stamp, md5: sum }: { readonly stamp: string; readonly md5: string }) =>
          areas.fileAreas.keepFileRecord(place, stamp, { type, md5: sum });
        await areas.fileStore.write(place, keptIn([], pieces), { replace: true, accept });
      }
    }),
    async shows({ edda, url }) {
      const headers = {
        authorization: 'Bearer svcpat-emil-2f8a6c4d1b',
        checksum: md5('slow'),
        'content-type': 'text/plain',
        'content-length': '4',
      };
      const slow = request(new URL(`${spaceFiles}/stream/a.txt`, url), { method: 'POST', headers });
      const answered = new Promise<void>((resolve, reject) => {
        slow.on('error', reject).on('response', (response) => void text(response).then(() => resolve(), reject));
      });
      slow.write('sl');
      await setTimeout(100);
      await edda.upload('a.txt', 'quick');
      slow.end('ow');
      await answered;
      return (await edda.get(`${spaceFiles}/a.txt`)).text === 'slow';
    },
  },

  'chunks.one-more-for-whole-ones': {
    source: 'extensions: File routes, chunk table, resumableTotalChunks',
    breaks: 'There are as many chunks as the size has chunk sizes, rounded up: no further one where it is a multiple.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      const { totalSize, chunkSize, totalChunks } = chunk;
      if (totalChunks > 1 && totalSize % chunkSize === 0)
        throw new Refusal(400, `Expected ${totalChunks + 1} chunks of a file of ${totalSize} bytes.`);
      right(areas, chunk, currentSize);
    }),
    shows: async ({ edda }) => (await edda.sendChunk('a.txt', ['aaaa', 'bbbb'], 1)).status === 400,
  },

  'chunks.checksum-of-the-first-time': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'A chunk is validated against its checksum, one that is sent again too.',
    kind: 'copy',
    survives:
      'Only streams are said to be validated against the checksum, and repeated chunks are not described: recorded.',
    variant: replaces('chunks', 'assertChunkChecksum', (right, areas, expected, chunk) => {
      const key = `${chunk.relativePath} ${chunk.number} ${chunk.totalSize}`;
      if (chunksSeen.has(key)) return;
      right(areas, expected, chunk);
      chunksSeen.add(key);
    }),
    async shows(service) {
      const { edda, as } = service;
      const path = `${new URL(service.url).port}.txt`;
      await edda.sendChunk(path, ['aaaa', 'bb'], 1);
      const asked = as('edda');
      const post = asked.post.bind(asked);
      asked.post = (to, body, headers) => post(to, body, { ...headers, checksum: md5('other') });
      return (await asked.sendChunk(path, ['aaaa', 'bb'], 1)).status < 300;
    },
  },

  'chunks.partial-files-stay': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'A client can delete what an interrupted upload has left.',
    kind: 'combination',
    variant: replaces('files', 'deleteFile', async (right, areas, place) =>
      (await areas.fileAreas.uploadUnderWay(place)) === undefined ? right(areas, place) : true,
    ),
    async shows({ edda }) {
      await edda.sendChunk('a.txt', ['aaaa', 'bb'], 1);
      await edda.delete(`${spaceFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt`)).status === 200;
    },
  },

  'chunks.form-of-four-mebibytes': {
    source: 'extensions: Limits, chunk size in the sample',
    breaks: 'A chunk may have the size of the sample, with the form around it.',
    kind: 'value',
    variant: replaces('chunks', 'formPartsOf', (right, areas, call) => {
      if (Number(call.headers['content-length']) > sampleChunkBytes) throw new Refusal(413, 'The form is too large.');
      return right(areas, call);
    }),
    shows: async ({ edda }) => (await edda.sendChunk('a.txt', ['a'.repeat(sampleChunkBytes), 'b'], 1)).status === 413,
  },
};

async function* keptIn(
  pieces: Uint8Array[],
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    pieces.push(piece);
    yield piece;
  }
}
