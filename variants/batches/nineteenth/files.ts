import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'chunks.types-with-a-dot': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The type of a chunk is a MIME type, also one with dots or a plus in it.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, size) => {
      if (!/^\w+\/[\w-]+$/.test(chunk.type)) throw new Refusal(400, 'Expected a MIME type.');
      right(areas, chunk, size);
    }),
    async shows({ edda }) {
      const sent = await edda.sendChunk('a.xls', ['one', 'two'], 1, spaceFiles, 'application/vnd.ms-excel');
      return sent.status >= 400;
    },
  },

  'chunks.placed-by-their-own-size': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The nominal size says where a chunk stands, also for the last one, which is shorter.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, size }) => (number - 1) * size),
    async shows({ edda }) {
      await edda.sendChunks('chunks.txt', ['four', 'four', 'to']);
      return (await edda.get(`${spaceFiles}/chunks.txt`)).text !== 'fourfourto';
    },
  },
};

export const bulkMistakes: Batch = {
  'bulk.settings-of-the-run-before': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Uploaded files stay in the source unless it is said, also when the run before had them deleted.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      let deleteFilesAfterUpload = false;
      return (areas, body) => {
        const settings = right(areas, isContent(body) ? { deleteFilesAfterUpload, ...body } : body);
        ({ deleteFilesAfterUpload } = settings);
        return settings;
      };
    }),
    async shows({ directory, bulk }) {
      const run = async (name: string, more: object) => {
        const sourceDirectory = await directory();
        await writeFile(join(sourceDirectory, name), name);
        await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, ...more });
        return sourceDirectory;
      };
      await run('one.txt', { deleteFilesAfterUpload: true });
      return (await readdir(await run('other.txt', {}))).length === 0;
    },
  },
};
