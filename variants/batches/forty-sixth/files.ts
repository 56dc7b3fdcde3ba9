import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { md5, spaceFiles, type Service } from '../service.ts';

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

  'bulk.tag-of-what-was-replaced': {
    source: 'extensions: File routes, POST /admin/fileupload/{spaceId}',
    breaks: 'A file that a bulk upload has replaced is other data, so that its ETag is another one.',
    kind: 'copy',
    survives: 'Whether files have tags, and what these tell, is not said (ledger download-metadata-headers).',
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
  'chunks.checksum-of-the-first-time': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'A chunk is validated against its checksum, one that is sent again too.',
    kind: 'copy',
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
};
