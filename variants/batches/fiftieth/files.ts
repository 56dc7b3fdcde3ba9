import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collectionArea } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { many, type Service, spaceFiles } from '../service.ts';

const collectionFiles = '/api/collection/fs/file';

/** A directory of the host with as many files, each called by a name and its number. */
async function directoryOf(service: Service, name: string, count: number): Promise<string> {
  const directory = await service.directory();
  for (const number of many(count, (each) => each)) await writeFile(join(directory, `${name}${number}.txt`), 'text');
  return directory;
}

/** Files, and how they come and go. */
export const filesMistakes: Batch = {
  'files.space-falls-back-to-the-collection': {
    source: 'extensions: File areas, row Space',
    breaks: 'A file that is not in the area of the space is not there, be one of its name in that of the collection.',
    kind: 'role',
    variant: replaces('files', 'downloadFile', (right, areas, call) =>
      right(areas, call).catch((error: unknown) => {
        const isMissing = error instanceof Refusal && error.status === 404;
        if (!isMissing || call.admitted.kind !== 'space') throw error;
        return right(areas, { ...call, admitted: collectionArea() });
      }),
    ),
    async shows({ cora, edda }) {
      await cora.upload('note.txt', 'text', collectionFiles);
      return (await edda.get(`${spaceFiles}/note.txt`)).status === 200;
    },
  },

  'bulk.source-is-a-pattern': {
    source: 'extensions: Bulk upload request body, sourceDirectory',
    breaks: 'The source directory is the one that is named, be there what a pattern of names would have in its name.',
    kind: 'value',
    variant: replaces('bulkUpload', 'bulkSettingsFrom', (right, areas, body) => {
      const settings = right(areas, body);
      return { ...settings, sourceDirectory: settings.sourceDirectory.replaceAll(/\[([^\]])[^\]]*\]/g, '$1') };
    }),
    async shows(service) {
      const sourceDirectory = join(await service.directory(), 'run[1]');
      await mkdir(sourceDirectory);
      await writeFile(join(sourceDirectory, 'note.txt'), 'text');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/note.txt`)).status !== 200;
    },
  },

  'bulk.nothing-is-deleted-beside-a-log': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'The files that were uploaded are deleted from the source, also where a log is written there.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => !request.writeLog && right(areas, request, file),
    ),
    async shows(service) {
      const sourceDirectory = await directoryOf(service, 'note', 1);
      const body = { sourceDirectory, writeLog: true, deleteFilesAfterUpload: true };
      await service.bulk('/admin/fileupload/main', body);
      return isThere(join(sourceDirectory, 'note1.txt'));
    },
  },
};
