import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together } from '../../breaks.ts';
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

  'bulk.files-that-nobody-may-delete': {
    source: 'extensions: What the service does; File routes, row 4',
    breaks: 'A file can be deleted, one that came by a bulk upload too.',
    kind: 'combination',
    variant: (classes) => {
      const owned = new Set<string>();
      return together(
        replaces('bulkUpload', 'bulkPlaceOf', (right, areas, ...args) => {
          const place = right(areas, ...args);
          owned.add(JSON.stringify(place));
          return place;
        }),
        replaces('files', 'deleteFile', async (right, areas, place) => {
          if (owned.has(JSON.stringify(place))) throw new Refusal(403, 'The file belongs to the system.');
          return right(areas, place);
        }),
      )(classes);
    },
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'note.txt'), 'text');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await service.edda.delete(`${spaceFiles}/note.txt`)).status >= 400;
    },
  },

  'stream.place-of-what-was-refused': {
    source: 'extensions: File routes, stream upload',
    breaks: 'Content that does not have its checksum leaves nothing, so that it can be sent again.',
    kind: 'copy',
    variant: breaks('files', 'uploadStream', (right) => {
      const taken = new Set<string>();
      return async (areas, call) => {
        if (taken.has(call.url)) throw areas.fileAreas.placeTaken(areas.files.streamPlaceOf(call, call.admitted));
        try {
          return await right(areas, call);
        } catch (error) {
          taken.add(call.url);
          throw error;
        }
      };
    }),
    async shows({ edda }) {
      await edda.post(`${spaceFiles}/stream/again.txt`, 'text', {
        checksum: '0'.repeat(32),
        'content-type': 'text/plain',
      });
      return (await edda.upload('again.txt', 'text')).status >= 400;
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

  'chunks.progress-of-somebody-else': {
    source: 'extensions: File areas, row User; File routes, chunk upload',
    breaks: 'Two users may upload a file of the same name at once, each to an area of his own.',
    kind: 'combination',
    variant: replaces(
      'fileAreas',
      'uploadIdOf',
      (_right, _areas, { area, segments }) => `${area.kind}/${segments.join('/')}`,
    ),
    async shows({ edda, emil }) {
      const pieces = ['one ', 'two '];
      for (const user of [edda, emil]) await user.sendChunk('both.txt', pieces, 1, userFiles);
      await edda.sendChunk('both.txt', pieces, 2, userFiles);
      return (await emil.sendChunk('both.txt', pieces, 2, userFiles)).status >= 400;
    },
  },
};
