import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

const participantFiles = '/api/space/main/participant/supplier/fs/file';

const participantBulk = '/admin/fileupload/main/supplier';

export const filesMistakes: Batch = {
  'bulk.root-of-a-participant': {
    source: 'extensions: File routes, row 7',
    breaks:
      'A bulk upload at participant level goes to the area of the participant, files in the root of the source too.',
    kind: 'place',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) => {
      const isAtRoot = area.kind === 'participant' && target.length + path.length === 1;
      return right(areas, isAtRoot ? { kind: 'space', spaceId: area.spaceId } : area, target, path);
    }),
    async shows({ bulk, emil, directory }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'one');
      await bulk(participantBulk, { sourceDirectory, writeLog: false });
      return (await emil.get(`${participantFiles}/a.txt`)).status !== 200;
    },
  },

  'bulk.replaces-at-the-root-alone': {
    source: 'extensions: Bulk upload request body, replaceFiles',
    breaks: 'Files that exist are replaced where that is asked for, below a target directory too.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'mayReplace',
      (right, areas, request) => right(areas, request) && request.targetDirectory === '/',
    ),
    async shows({ bulk, edda, directory }) {
      const sourceDirectory = await directory();
      await edda.upload('deep/a.txt', 'before');
      await writeFile(join(sourceDirectory, 'a.txt'), 'after');
      await bulk('/admin/fileupload/main', {
        sourceDirectory,
        writeLog: false,
        targetDirectory: 'deep',
        replaceFiles: true,
      });
      return (await edda.get(`${spaceFiles}/deep/a.txt`)).text === 'before';
    },
  },
};
