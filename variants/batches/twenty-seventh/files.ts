import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

/** Files: sent, read, deleted. */
export const filesMistakes: Batch = {
  'chunks.line-end-of-the-file-is-that-of-the-form': {
    source: 'extensions: File routes, text above the chunk table',
    breaks: 'The part named file holds the bytes of the chunk, a line end at its end too.',
    kind: 'combination',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const bytes = Buffer.concat([...right(areas, chunk)]);
      const isCut = chunk.number === chunk.totalChunks && bytes.subarray(-2).equals(Buffer.from('\r\n'));
      return [isCut ? bytes.subarray(0, -2) : bytes];
    }),
    async shows({ edda }) {
      await edda.sendChunks('lines/f.txt', ['one\r\n', 'two\r\n']);
      return (await edda.get(`${spaceFiles}/lines/f.txt`)).text !== 'one\r\ntwo\r\n';
    },
  },
};

/** Many files by one request. */
export const bulkMistakes: Batch = {
  'bulk.files-without-bytes': {
    source: 'extensions: Bulk upload request body, row sourceDirectory',
    breaks: 'Every file of the source directory is taken, an empty one too.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const found = await stat(join(run.source, ...entry.path)).catch(() => undefined);
      if (found?.size !== 0) return right(areas, run, entry);
      return { path: entry.path.join('/'), status: 'skipped', error: 'it is empty' };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'empty.txt'), '');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/empty.txt`)).status !== 200;
    },
  },
};
