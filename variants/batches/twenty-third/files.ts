import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FileArea } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { administrationKey, many, signatureOver, spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'files.deleted-with-a-namesake': {
    source: 'extensions: What the service does',
    breaks: 'To delete a file of the space leaves one of the same name in the area of a participant.',
    kind: 'combination',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const removed = await right(areas, place);
      const { area, segments } = place;
      const { participants } = (area.kind === 'space' && areas.configuration.spaces.get(area.spaceId)) || {};
      for (const participantId of participants?.keys() ?? [])
        await areas.fileStore.remove({ area: { ...area, kind: 'participant', participantId } as FileArea, segments });
      return removed;
    }),
    async shows({ edda }) {
      const base = '/api/space/main/participant/owner/fs/file';
      await edda.upload('same.txt', 'of the participant', base);
      await edda.upload('same.txt', 'of the space');
      await edda.delete(`${spaceFiles}/same.txt`);
      return (await edda.get(`${base}/same.txt`)).status !== 200;
    },
  },

  'files.deleted-twice': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file that does not exist fails, also when it was deleted before.',
    kind: 'copy',
    variant: breaks('files', 'deleteFile', (right) => {
      const deleted = new Set<string>();
      return async (areas, place) => {
        const key = JSON.stringify(place);
        if (await right(areas, place)) deleted.add(key);
        return deleted.has(key);
      };
    }),
    async shows({ edda }) {
      await edda.upload('gone.txt', 'gone');
      await edda.delete(`${spaceFiles}/gone.txt`);
      return (await edda.delete(`${spaceFiles}/gone.txt`)).status < 400;
    },
  },

  'chunks.order-of-texts': {
    source: 'extensions: File routes, resumableChunkNumber',
    breaks: 'The number of a chunk says where it stands, and 10 is behind 9.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, totalChunks, chunkSize }) => {
      const order = many(totalChunks, String).toSorted();
      return order.indexOf(String(number)) * chunkSize;
    }),
    async shows({ edda }) {
      const pieces = many(10, (number) => String.fromCodePoint(96 + number).repeat(4));
      await edda.sendChunks('ten.txt', pieces);
      return (await edda.get(`${spaceFiles}/ten.txt`)).text !== pieces.join('');
    },
  },

  'chunks.one-more-than-needed': {
    source: 'extensions: File routes, resumableTotalChunks',
    breaks: 'The number of chunks is size by chunk size, rounded up only where something is left.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      const { totalSize, chunkSize, totalChunks } = chunk;
      if (totalChunks > 1 && totalChunks < Math.floor(totalSize / chunkSize) + 1)
        throw new Refusal(400, 'Expected one chunk more.');
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('even.txt', ['aaaa', 'bbbb'], 1)).status >= 400;
    },
  },

  'chunks.plain-types-only': {
    source: 'extensions: File routes, resumableType',
    breaks: 'A file may be of any MIME type, also of one with a plus or a dot in its name.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      if (!/^\w+\/[\w-]+$/.test(chunk.type)) throw new Refusal(400, 'Expected a MIME type.');
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('drawing.svg', ['<svg/>'], 1, spaceFiles, 'image/svg+xml')).status >= 400;
    },
  },

  'bulk.signature-of-the-space': {
    source: 'extensions: Authentication 2',
    breaks: 'The bearer value of a bulk upload is the signature of its own path, not of the one above it.',
    kind: 'place',
    variant: replaces('signing', 'isSignatureOf', (right, areas, apiKey, path, given) => {
      const [above] = /^\/admin\/fileupload\/[^/]+(?=\/)/.exec(path) ?? [];
      return right(areas, apiKey, path, given) || (above !== undefined && right(areas, apiKey, above, given));
    }),
    async shows(service) {
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      const authorization = `Bearer ${signatureOver('/admin/fileupload/main', administrationKey)}`;
      return (await service.nobody.post('/admin/fileupload/main/owner', body, { authorization })).status < 400;
    },
  },

  'bulk.empty-files': {
    source: 'extensions: Bulk upload request body, row sourceDirectory',
    breaks: 'The files of the source directory are uploaded, empty ones among them.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const info = await stat(join(run.source, ...entry.path)).catch(() => undefined);
      return info?.size === 0 ? { path: entry.path.join('/'), status: 'skipped' } : right(areas, run, entry);
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'empty.txt'), '');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/empty.txt`)).status !== 200;
    },
  },

  'bulk.collection-after-a-space': {
    source: 'extensions: File routes, row 5',
    breaks: 'An upload that names no space goes to the collection, also after one that named a space.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkAreaOf', (right) => {
      let last: FileArea | undefined;
      return (areas, call) => (last = call.params['spaceId'] === undefined && last ? last : right(areas, call));
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'one.txt'), 'one');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      await service.bulk('/admin/fileupload', { sourceDirectory, writeLog: false });
      return (await service.cora.get('/api/collection/fs/file/one.txt')).status !== 200;
    },
  },
};
