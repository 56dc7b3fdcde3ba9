import { replaces, type Variant, together } from '../../breaks.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

export const fileMistakes: Batch = {
  'bulk.what-it-brought-stays': {
    source: 'extensions: File routes, row 4',
    breaks: 'A file that is deleted is gone, also one that bulk upload brought.',
    kind: 'combination',
    variant: bulkStays(),
    async shows(service) {
      const source = await service.directory();
      await writeFile(join(source, 'brought.txt'), 'text');
      await service.bulk('/admin/fileupload/main', { sourceDirectory: source, writeLog: false });
      await service.edda.delete(`${spaceFiles}/brought.txt`);
      return (await service.edda.get(`${spaceFiles}/brought.txt`)).status === 200;
    },
  },

  'chunks.path-of-eight-names': {
    source: 'extensions: File routes, chunk table, resumableRelativePath',
    breaks: 'The target path has as many subdirectories as it says, be they more than seven.',
    kind: 'value',
    variant: replaces('fileAreas', 'relativePathOf', (right, areas, path) => right(areas, path).slice(0, 8)),
    async shows({ edda }) {
      const path = 'a/b/c/d/e/f/g/h/deep.txt';
      await edda.sendChunks(path, ['deep']);
      return (await edda.get(`${spaceFiles}/${path}`)).text !== 'deep';
    },
  },
};

function bulkStays(): Variant {
  return (classes) => {
    const brought = new Set<string>();
    return together(
      replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) => {
        const place = right(areas, area, target, path);
        brought.add(JSON.stringify(place));
        return place;
      }),
      replaces('files', 'deleteFile', async (right, areas, place) => {
        const { area, segments } = place;
        return brought.has(JSON.stringify({ area, segments })) || right(areas, place);
      }),
    )(classes);
  };
}
