import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { md5, spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'chunks.progress-of-another-area': {
    source: 'extensions: File areas',
    breaks: 'Areas are apart: an upload in one is none of the business of an upload of that name in another.',
    kind: 'moment',
    variant: replaces('fileAreas', 'uploadIdOf', (_right, _areas, { segments }) => segments.join('/')),
    async shows({ edda }) {
      const own = '/api/space/main/user/fs/file';
      const pieces = ['aaaa', 'bbbb', 'cc'];
      await edda.sendChunk('x.txt', pieces, 1);
      await edda.sendChunks('x.txt', pieces, own);
      await edda.sendChunk('x.txt', pieces, 2);
      await edda.sendChunk('x.txt', pieces, 3);
      return (await edda.get(`${spaceFiles}/x.txt`)).text !== 'aaaabbbbcc';
    },
  },

  'files.checked-once': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A stream is validated against its checksum, also after one to the same place that was refused.',
    kind: 'moment',
    variant: breaks('files', 'storeStream', (right) => {
      const refused = new Set<string>();
      return async (areas, place, call, content, checksum) => {
        const key = call.url;
        try {
          await right(areas, place, call, content, refused.delete(key) ? undefined : checksum);
        } catch (error) {
          if (error instanceof Refusal && error.status === 400) refused.add(key);
          throw error;
        }
      };
    }),
    async shows({ edda }) {
      const headers = { checksum: md5('other'), 'content-type': 'text/plain' };
      await edda.post(`${spaceFiles}/stream/a.txt`, 'content', headers);
      return (await edda.post(`${spaceFiles}/stream/a.txt`, 'content', headers)).status < 300;
    },
  },

  'chunks.place-of-the-name': {
    source: 'extensions: File routes, resumableRelativePath',
    breaks: 'A chunk goes to its own path, also while a file of that name and size is on its way to another directory.',
    kind: 'copy',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const underWay = new Map<string, FilePlace>();
      return (areas, chunk, area) => {
        const key = `${chunk.fileName} ${chunk.totalSize}`;
        const place = underWay.get(key) ?? right(areas, chunk, area);
        if (chunk.number < chunk.totalChunks) underWay.set(key, place);
        else underWay.delete(key);
        return place;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('a/x.txt', ['aaaa', 'aa'], 1);
      await edda.sendChunk('b/x.txt', ['bbbb', 'bb'], 1);
      await edda.sendChunk('a/x.txt', ['aaaa', 'aa'], 2);
      await edda.sendChunk('b/x.txt', ['bbbb', 'bb'], 2);
      return (await edda.get(`${spaceFiles}/b/x.txt`)).text !== 'bbbbbb';
    },
  },

  'bulk.deletes-as-the-last-time': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'Files stay in the source unless their own run says otherwise, whatever an earlier run of it said.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      const latest = new Map<string, boolean>();
      return (areas, body) => {
        const settings = right(areas, body);
        const isGiven = typeof body === 'object' && body !== null && 'deleteFilesAfterUpload' in body;
        const kept = isGiven ? undefined : latest.get(settings.sourceDirectory);
        const deleteFilesAfterUpload = kept ?? settings.deleteFilesAfterUpload;
        latest.set(settings.sourceDirectory, deleteFilesAfterUpload);
        return { ...settings, deleteFilesAfterUpload };
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const run = { sourceDirectory, writeLog: false };
      await writeFile(join(sourceDirectory, 'a.txt'), 'a');
      await service.bulk('/admin/fileupload/main', { ...run, deleteFilesAfterUpload: true });
      await writeFile(join(sourceDirectory, 'b.txt'), 'b');
      await service.bulk('/admin/fileupload/main', run);
      return !(await isThere(join(sourceDirectory, 'b.txt')));
    },
  },

  'chunks.one-of-the-nominal-size': {
    source: 'extensions: File routes, resumableChunkSize',
    breaks: 'A file that is as long as the nominal chunk comes in one chunk.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      if (chunk.totalSize === chunk.chunkSize && chunk.totalSize > 0)
        throw new Refusal(400, 'Expected a last chunk below the nominal size.');
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('x.txt', ['aaaa'], 1)).status === 400;
    },
  },
};
