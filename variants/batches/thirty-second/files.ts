import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { uploadComplete } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { type Client, md5, type Received, spaceFiles } from '../service.ts';

const bulkPath = '/admin/fileupload/main';
/** Chunks that were refused, by the store of their server. */
const refused = new WeakMap<object, Set<string>>();

function refusedAt(store: object): Set<string> {
  const found = refused.get(store) ?? new Set<string>();
  refused.set(store, found);
  return found;
}

/** The first of two chunks of four bytes, with a checksum of other bytes. */
async function sendDamaged(client: Client, path: string): Promise<Received> {
  const texts = {
    resumableTotalSize: 8,
    resumableChunkNumber: 1,
    resumableChunkSize: 4,
    resumableCurrentChunkSize: 4,
    resumableTotalChunks: 2,
    resumableType: 'text/plain',
    resumableFilename: path,
    resumableRelativePath: path,
  };
  const form = new FormData();
  for (const [name, text] of Object.entries(texts)) form.set(name, String(text));
  form.set('file', new Blob(['aaaa']), path);
  const request = new Response(form);
  const type = request.headers.get('content-type') ?? '';
  return client.post(spaceFiles, await request.bytes(), { checksum: md5('bbbb'), 'content-type': type });
}

/** Files, whole, in chunks and in bulk. */
export const filesMistakes: Batch = {
  'chunks.the-size-of-a-deleted-part': {
    source: 'extensions: File routes',
    breaks: 'What an interrupted upload left is gone once it is deleted: the file may come again with another size.',
    kind: 'moment',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const begun = new Map<string, number>();
      return async (areas, place, chunk) => {
        const key = JSON.stringify(place);
        if ((begun.get(key) ?? chunk.totalSize) !== chunk.totalSize) throw new Refusal(409, 'An upload is under way.');
        const progress = await right(areas, place, chunk);
        if (uploadComplete(progress)) begun.delete(key);
        else begun.set(key, chunk.totalSize);
        return progress;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('f.txt', ['aaaa', 'bb'], 1);
      await edda.delete(`${spaceFiles}/f.txt`);
      await edda.sendChunks('f.txt', ['cccc', 'dddd']);
      return (await edda.get(`${spaceFiles}/f.txt`)).text !== 'ccccdddd';
    },
  },
  'bulk.one-log-is-enough': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Each upload that is to write a log writes one when it finishes, also where one of an earlier one lies.',
    kind: 'moment',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      const names = await readdir(source);
      if (!names.some((name) => name.startsWith('FileUpload_'))) await right(areas, source, report);
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'a');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: true });
      await service.pass(5);
      await service.bulk(bulkPath, { sourceDirectory, writeLog: true });
      const names = await readdir(sourceDirectory);
      return names.filter((name) => name.startsWith('FileUpload_')).length === 1;
    },
  },
  'bulk.what-came-in-chunks-is-not-replaced': {
    source: 'extensions: Bulk upload request body',
    breaks: 'An upload that is to replace files replaces each that exists, however it came.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const place = areas.bulkUpload.bulkPlaceOf(run.area, run.target, entry.path);
      const info = await areas.fileStore.describe(place);
      const record = info?.kind === 'file' ? await areas.fileAreas.fileRecordOf(place, info.stamp) : undefined;
      const isChunked = record !== undefined && record.md5 === undefined;
      return right(areas, isChunked ? { ...run, request: { ...run.request, replaceFiles: false } } : run, entry);
    }),
    async shows(service) {
      await service.edda.sendChunks('a.txt', ['aaaa', 'bb']);
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'new');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text !== 'new';
    },
  },
  'bulk.an-empty-file-stays': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Every uploaded file is deleted from the source where that is asked for, an empty one too.',
    kind: 'value',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, result) => result.size !== 0 && right(areas, request, result),
    ),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const path = join(sourceDirectory, 'a.txt');
      await writeFile(path, '');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return isThere(path);
    },
  },
  'files.none-to-delete-in-the-root-of-a-user': {
    source: 'extensions: File routes',
    breaks: 'A file in the root of an area is addressed by its name alone, to delete it as well.',
    kind: 'place',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      if (place.area.kind === 'user' && place.segments.length === 1) return false;
      return right(areas, place);
    }),
    async shows({ edda }) {
      const base = '/api/space/main/user/fs/file';
      await edda.upload('a.txt', 'text', base);
      return (await edda.delete(`${base}/a.txt`)).status >= 400;
    },
  },
  'chunks.files-of-one-name-are-mixed': {
    source: 'extensions: File routes',
    breaks: 'Each chunk goes where its own parts say, also while a file of the same name comes elsewhere.',
    kind: 'copy',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const begun = new Map<string, ReturnType<typeof right>>();
      return (areas, chunk, area) => {
        const key = `${JSON.stringify(area)} ${chunk.fileName} ${chunk.totalSize}`;
        const own = right(areas, chunk, area);
        if (chunk.number === 1) begun.set(key, own);
        return begun.get(key) ?? own;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [
        ['aaaa', 'bb'],
        ['cccc', 'dd'],
      ];
      for (const number of [1, 2]) {
        await edda.sendChunk('a/f.txt', one ?? [], number);
        await edda.sendChunk('b/f.txt', other ?? [], number);
      }
      return (await edda.get(`${spaceFiles}/a/f.txt`)).text !== 'aaaabb';
    },
  },
  'chunks.a-last-byte-is-lost': {
    source: 'extensions: File routes',
    breaks: 'The whole file has its total size, also where the last chunk is of one byte.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const isLast = chunk.number > 1 && chunk.number === chunk.totalChunks;
      return isLast && chunk.size === 1 ? [] : right(areas, chunk);
    }),
    async shows({ edda }) {
      await edda.sendChunks('f.txt', ['aaaa', 'b']);
      return (await edda.get(`${spaceFiles}/f.txt`)).text !== 'aaaab';
    },
  },
  'chunks.not-again-after-a-refusal': {
    source: 'extensions: File routes',
    breaks: 'A chunk that was refused for its checksum is taken once it comes with the right one.',
    kind: 'moment',
    variant: together(
      replaces('chunks', 'assertChunkChecksum', (right, areas, expected, chunk) => {
        try {
          right(areas, expected, chunk);
        } catch (error) {
          refusedAt(areas.store).add(`${chunk.relativePath} ${chunk.number}`);
          throw error;
        }
      }),
      replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
        if (refusedAt(areas.store).has(`${chunk.relativePath} ${chunk.number}`))
          throw new Refusal(409, 'This chunk has come before.');
        return right(areas, place, chunk);
      }),
    ),
    async shows({ edda }) {
      await sendDamaged(edda, 'f.txt');
      return (await edda.sendChunk('f.txt', ['aaaa', 'bbbb'], 1)).status >= 400;
    },
  },
};
