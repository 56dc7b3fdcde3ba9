import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles, type Service } from '../service.ts';

const bulkRoute = '/admin/fileupload/main';

export const filesMistakes: Batch = {
  'bulk.below-a-target-that-is-there': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The structure ends up in the target directory, also in one that an upload before has made.',
    kind: 'moment',
    variant: breaks('bulkUpload', 'bulkTargetOf', (right) => {
      const made = new Set<string>();
      return (areas, request) => {
        const names = right(areas, request);
        const isThere = made.has(names.join('/'));
        made.add(names.join('/'));
        return isThere && names.length > 0 ? [...names, basename(request.sourceDirectory)] : names;
      };
    }),
    async shows(service) {
      for (const name of ['first.txt', 'second.txt']) await bulkOf(service, name, name, 'target');
      return (await service.edda.get(`${spaceFiles}/target/second.txt`)).status !== 200;
    },
  },
};

/** A bulk upload of one file, from a directory of its own. */
async function bulkOf(service: Service, name: string, content: string, targetDirectory = '/'): Promise<void> {
  const sourceDirectory = join(await service.directory(), 'source');
  await mkdir(sourceDirectory);
  await writeFile(join(sourceDirectory, name), content);
  await service.bulk(bulkRoute, { sourceDirectory, writeLog: false, targetDirectory });
}
