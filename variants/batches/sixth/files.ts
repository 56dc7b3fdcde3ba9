import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { many, spaceFiles } from '../service.ts';

export const files: Batch = {
  'chunks.in-the-order-of-their-texts': {
    source: 'extensions: File routes, resumableChunkNumber',
    breaks: 'The tenth chunk stands behind the second one in the file.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
      const order = many(chunk.totalChunks, String).toSorted();
      return right(areas, { ...chunk, number: order.indexOf(String(chunk.number)) + 1 });
    }),
    async shows({ edda }) {
      await edda.sendChunks(
        'eleven.txt',
        many(11, (number) => `${String(number).padStart(9, '0')}\n`),
      );
      const { text } = await edda.get(`${spaceFiles}/eleven.txt`);
      return !text.startsWith('000000001\n000000002\n');
    },
  },
  'bulk.keeps-one-directory-only': {
    source: 'extensions: Bulk upload request body, targetDirectory',
    breaks: 'The structure of the source ends up in the area, directories in directories too.',
    kind: 'place',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, path.length > 2 ? [...path.slice(0, 1), ...path.slice(-1)] : path),
    ),
    async shows({ directory, bulk, edda }) {
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, 'one', 'two'), { recursive: true });
      await writeFile(join(sourceDirectory, 'one', 'two', 'deep.txt'), 'deep');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/one/two/deep.txt`)).status !== 200;
    },
  },
};
