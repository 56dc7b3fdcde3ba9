import { mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Chunk } from '../../../reference-server/areas/chunks.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { many, spaceFiles } from '../service.ts';

/** From this size on, chunks are put where a page of memory begins. */
const alignedFrom = 1024 * 1024;
const memoryPage = 4096;

/** Where a chunk stands when they are put together in the order of their numbers as texts. */
function positionAmongTexts({ number, chunkSize, totalChunks, totalSize }: Chunk): number {
  const sizeOf = (each: number): number => (each < totalChunks ? chunkSize : totalSize - (totalChunks - 1) * chunkSize);
  const order = many(totalChunks, String).toSorted();
  return order.slice(0, order.indexOf(String(number))).reduce((sum, each) => sum + sizeOf(Number(each)), 0);
}

/** Files, whole and in chunks, by hand and in bulk. */
export const filesMistakes: Batch = {
  'chunks.put-together-by-name': {
    source: 'extensions: File routes, chunk table, resumableChunkNumber',
    breaks: 'Chunks follow each other by their numbers, the tenth behind the ninth.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) =>
      chunk.totalChunks > 9 ? positionAmongTexts(chunk) : right(areas, chunk),
    ),
    async shows({ edda }) {
      const pieces = many(11, (number) => `${String.fromCodePoint(96 + number)};`);
      await edda.sendChunks('eleven.txt', pieces);
      return (await edda.get(`${spaceFiles}/eleven.txt`)).text !== pieces.join('');
    },
  },

  'chunks.large-ones-are-aligned': {
    source: 'extensions: File routes, chunk table, resumableChunkSize',
    breaks: 'A chunk begins where the nominal size says, whatever size that is.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
      const { number, chunkSize } = chunk;
      if (chunkSize < alignedFrom) return right(areas, chunk);
      return (number - 1) * Math.floor(chunkSize / memoryPage) * memoryPage;
    }),
    async shows({ edda }) {
      const pieces = ['a'.repeat(alignedFrom + 1), 'b'];
      await edda.sendChunks('large.txt', pieces);
      return (await edda.get(`${spaceFiles}/large.txt`)).text !== pieces.join('');
    },
  },

  'chunks.types-with-a-plus-refused': {
    source: 'extensions: File routes, chunk table, resumableType',
    breaks: 'Every MIME type is one that a chunk may have.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      if (!/^\w+\/[\w.-]+(?:;|$)/.test(chunk.type))
        throw new Refusal(400, 'Expected a MIME type.', { pointer: 'resumableType' });
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('drawing.svg', ['<svg/>'], 1, spaceFiles, 'image/svg+xml')).status >= 400;
    },
  },

  'bulk.what-is-there-alike-is-deleted': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'Files that were uploaded are deleted from the source, and not those that were there before.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const result = await right(areas, run, entry);
      if (result.status !== 'skipped' || !run.request.deleteFilesAfterUpload) return result;
      const path = join(run.source, ...entry.path);
      const there = await areas.fileStore.read({ area: run.area, segments: [...run.target, ...entry.path] });
      if (there !== undefined && (await buffer(there)).equals(await readFile(path))) await unlink(path);
      return result;
    }),
    async shows({ edda, bulk, directory }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'alike.txt'), 'alike');
      await edda.upload('alike.txt', 'alike');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return !(await isThere(join(sourceDirectory, 'alike.txt')));
    },
  },

  'bulk.taken-in-the-collection': {
    source: 'extensions: File routes, POST /admin/fileupload/{spaceId}',
    breaks: 'A bulk upload to a space asks what stands in that space, and not what does in the collection.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const place = { area: { kind: 'collection' }, segments: [...run.target, ...entry.path] } as const;
      const isTaken = run.area.kind === 'space' && (await areas.fileStore.describe(place)) !== undefined;
      if (!isTaken || run.request.replaceFiles) return right(areas, run, entry);
      return { path: entry.path.join('/'), status: 'skipped', error: 'a file is there already' };
    }),
    async shows({ cora, edda, bulk, directory }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'both.txt'), 'of the space');
      await cora.upload('both.txt', 'of the collection', '/api/collection/fs/file');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/both.txt`)).status !== 200;
    },
  },

  'bulk.hidden-directories-left-out': {
    source: 'extensions: Bulk upload request body, sourceDirectory',
    breaks: 'All files below the source are uploaded, also those in a directory whose name begins with a dot.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const isHidden = entry.path.slice(0, -1).some((name) => name.startsWith('.'));
      return isHidden ? { path: entry.path.join('/'), status: 'skipped' } : right(areas, run, entry);
    }),
    async shows({ edda, bulk, directory }) {
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, '.settings'));
      await writeFile(join(sourceDirectory, '.settings', 'view.txt'), 'content');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/.settings/view.txt`)).status !== 200;
    },
  },
};
