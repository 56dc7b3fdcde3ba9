import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
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
