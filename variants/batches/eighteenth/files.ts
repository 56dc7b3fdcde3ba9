import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'files.gone-is-gone': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file fails when there is none, also when there was one before.',
    kind: 'copy',
    variant: breaks('files', 'deleteFile', (right) => {
      const gone = new Set<string>();
      return async (areas, place) => {
        const key = JSON.stringify(place);
        const isDone = await right(areas, place);
        return gone.has(key) || (isDone && gone.add(key).has(key));
      };
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a');
      await edda.delete(`${spaceFiles}/a.txt`);
      return (await edda.delete(`${spaceFiles}/a.txt`)).status < 400;
    },
  },

  'chunks.size-of-the-file-before': {
    source: 'extensions: File routes, chunk table',
    breaks:
      'A chunk stands where its own upload says, also where an upload to the same path had chunks of another size.',
    kind: 'copy',
    variant: breaks('chunks', 'chunkPosition', (right) => {
      const sizes = new Map<string, number>();
      return (areas, chunk) => {
        const chunkSize = sizes.get(chunk.relativePath) ?? chunk.chunkSize;
        sizes.set(chunk.relativePath, chunkSize);
        return right(areas, { ...chunk, chunkSize });
      };
    }),
    async shows({ edda }) {
      await edda.sendChunks('a.txt', ['abcd', 'ef']);
      await edda.delete(`${spaceFiles}/a.txt`);
      await edda.sendChunks('a.txt', ['gh', 'ij']);
      return (await edda.get(`${spaceFiles}/a.txt`)).text !== 'ghij';
    },
  },

  'bulk.source-below-the-root': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Uploaded files go from the source where that is asked for, also those in its subdirectories.',
    kind: 'place',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => right(areas, request, file) && !file.path.includes('/'),
    ),
    async shows({ directory, bulk }) {
      const sourceDirectory = await directory();
      const path = join(sourceDirectory, 'folder', 'a.txt');
      await mkdir(join(sourceDirectory, 'folder'));
      await writeFile(path, 'a');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return isThere(path);
    },
  },
};
