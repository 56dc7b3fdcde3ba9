import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

const userFiles = '/api/space/main/user/fs/file';

/** Files, and how they get there. */
export const filesMistakes: Batch = {
  'areas.no-listing-of-the-user-area': {
    source: 'extensions: File areas, text below the table',
    breaks: 'There is a directory listing, of the user area too.',
    kind: 'place',
    survives: 'How a listing is asked for, and by whose credentials, is not shown (dir-listing): recorded.',
    variant: replaces('files', 'routes', (right, areas) =>
      right(areas).filter(({ path }) => !path.includes('/user/fs/dir')),
    ),
    shows: async ({ edda }) => (await edda.get('/api/space/main/user/fs/dir')).status !== 200,
  },

  'bulk.target-of-the-run-before': {
    source: 'extensions: Bulk upload request body, targetDirectory',
    breaks: 'Without targetDirectory the structure ends up in the root, whatever the run before said.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      let latest: string | undefined;
      return (areas, body) => {
        const settings = right(areas, body);
        const isStated = typeof body === 'object' && body !== null && 'targetDirectory' in body;
        if (isStated) latest = settings.targetDirectory;
        return isStated ? settings : { ...settings, targetDirectory: latest ?? settings.targetDirectory };
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'note.txt'), 'text');
      const run = (fields: object) =>
        service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, ...fields });
      await run({ targetDirectory: 'first' });
      await run({});
      return (await service.edda.get(`${spaceFiles}/note.txt`)).status !== 200;
    },
  },

  'chunks.byte-order-mark-is-cut': {
    source: 'extensions: File routes, chunk upload',
    breaks: 'The file is what its chunks hold, byte by byte, a mark at its beginning included.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const bytes = Buffer.concat(right(areas, chunk));
      return chunk.number === 1 && bytes.subarray(0, 3).equals(Buffer.from('\ufeff')) ? [bytes.subarray(3)] : [bytes];
    }),
    async shows({ edda }) {
      const base = userFiles;
      await edda.sendChunk('mark.txt', ['\ufeffone'], 1, base);
      const { headers } = await edda.send('HEAD', `${base}/mark.txt`);
      return headers.get('content-length') !== '6';
    },
  },
};
