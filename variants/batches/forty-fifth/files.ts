import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

const depotFiles = '/api/space/depot/fs/file';

/** Files of the areas, in streams, in chunks and in bulk. */
export const filesMistakes: Batch = {
  'files.of-the-first-space-instead': {
    source: 'extensions: File areas, row Space',
    breaks: 'A file that a space does not have is not there, whatever another space has at that path.',
    kind: 'place',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const [spaceId = ''] = areas.configuration.spaces.keys();
      const place = areas.files.filePlaceOf(call, call.admitted);
      const isMissing = place.area.kind === 'space' && (await areas.fileStore.describe(place)) === undefined;
      return right(areas, isMissing ? { ...call, admitted: { kind: 'space', spaceId } } : call);
    }),
    async shows({ edda }) {
      await edda.upload('main-only.txt', 'content');
      return (await edda.get(`${depotFiles}/main-only.txt`)).status === 200;
    },
  },

  'bulk.same-size-is-the-same': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'With replaceFiles a file gives way to that of the source, to one of its size too.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      if (!run.request.replaceFiles || entry.problem !== undefined) return right(areas, run, entry);
      const place = areas.bulkUpload.bulkPlaceOf(run.area, run.target, entry.path);
      const former = await areas.fileStore.describe(place);
      const { size } = await stat(join(run.source, ...entry.path));
      return former?.kind === 'file' && former.size === size
        ? { path: entry.path.join('/'), status: 'replaced', size }
        : right(areas, run, entry);
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'size.txt'), 'new');
      await service.edda.upload('size.txt', 'old');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/size.txt`)).text !== 'new';
    },
  },
};
