import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collectionArea } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FileArea } from '../../../reference-server/ports/file-store.ts';
import { replaces, together } from '../../breaks.ts';
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

/** Whether all of them are in an area. */
async function areAllIn(
  get: (path: string) => Promise<{ readonly status: number }>,
  base: string,
  name: string,
  count: number,
) {
  const found = await Promise.all(many(count, (number) => get(`${base}/${name}${number}.txt`)));
  return found.every(({ status }) => status === 200);
}

/** Files, and how they come and go. */
export const filesMistakes: Batch = {
  'files.deleted-by-their-beginning': {
    source: 'extensions: What the service does',
    breaks: 'A delete takes the file that it names, and not those whose names begin as its does.',
    kind: 'place',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const isDeleted = await right(areas, place);
      const [directory, name = ''] = [place.segments.slice(0, -1), place.segments.at(-1)];
      for (const entry of (await areas.fileStore.list({ ...place, segments: directory })) ?? [])
        if (entry.kind === 'file' && entry.name.startsWith(name))
          await right(areas, { ...place, segments: [...directory, entry.name] });
      return isDeleted;
    }),
    async shows({ edda }) {
      for (const name of ['note.txt', 'note.txt.old']) await edda.upload(name, 'text');
      await edda.delete(`${spaceFiles}/note.txt`);
      return (await edda.get(`${spaceFiles}/note.txt.old`)).status !== 200;
    },
  },

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

  'bulk.area-of-the-latest-request': {
    source: 'extensions: File routes, row 5',
    breaks: 'An upload at the collection level ends up there, also while one at the space level goes on.',
    kind: 'moment',
    variant: (classes) => {
      let latest: FileArea | undefined;
      return together(
        replaces('bulkUpload', 'bulkAreaOf', (right, areas, call) => {
          latest = right(areas, call);
          return latest;
        }),
        replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
          right(areas, latest ?? area, target, path),
        ),
      )(classes);
    },
    async shows(service) {
      const [ours, theirs] = [await directoryOf(service, 'ours', 20), await directoryOf(service, 'theirs', 20)];
      await Promise.all([
        service.bulk('/admin/fileupload', { sourceDirectory: ours, writeLog: false }),
        service.bulk('/admin/fileupload/main', { sourceDirectory: theirs, writeLog: false }),
      ]);
      const { cora, edda } = service;
      const isOurs = await areAllIn((path) => cora.get(path), collectionFiles, 'ours', 20);
      return !isOurs || !(await areAllIn((path) => edda.get(path), spaceFiles, 'theirs', 20));
    },
  },

  'files.path-up-to-a-directory-named-file': {
    source: 'extensions: File routes, text on the subdirectory part',
    breaks: 'The subdirectories are all that stand between the base path and the name, be one called as the route is.',
    kind: 'value',
    variant: replaces('files', 'filePlaceOf', (right, areas, call, area) => {
      const rest = call.rest ?? [];
      const place = rest.indexOf('file', 1);
      return right(areas, place > 0 && place < rest.length - 1 ? { ...call, rest: rest.slice(0, place) } : call, area);
    }),
    async shows({ edda }) {
      await edda.upload('sub/file/note.txt', 'text');
      return (await edda.get(`${spaceFiles}/sub/file/note.txt`)).status !== 200;
    },
  },
};
