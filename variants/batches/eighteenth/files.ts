import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { spaceFiles } from '../service.ts';

const userFiles = '/api/space/main/user/fs/file';

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

  'chunks.one-directory': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The relative path of a chunk is the target with all its subdirectories.',
    kind: 'place',
    variant: replaces('fileAreas', 'relativePathOf', (right, areas, path) => {
      const names = right(areas, path);
      return names.length > 2 ? [...names.slice(0, 1), ...names.slice(-1)] : names;
    }),
    async shows({ edda }) {
      await edda.sendChunks('one/two/a.txt', ['ab', 'cd']);
      return (await edda.get(`${spaceFiles}/one/two/a.txt`)).status !== 200;
    },
  },

  'chunks.user-area': {
    source: 'extensions: File routes, row 2',
    breaks: 'Chunks that are sent to the area of a user make a file of that area.',
    kind: 'place',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) =>
      right(areas, chunk, area.kind === 'user' ? { kind: 'space', spaceId: area.spaceId } : area),
    ),
    async shows({ edda }) {
      await edda.sendChunks('a.txt', ['ab', 'cd'], userFiles);
      return (await edda.get(`${userFiles}/a.txt`)).status !== 200;
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
