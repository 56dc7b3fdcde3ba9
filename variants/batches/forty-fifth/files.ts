import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

const collectionFiles = '/api/collection/fs/file';
const depotFiles = '/api/space/depot/fs/file';
const basic = { authorization: `Basic ${Buffer.from('edda:svcpat-edda-7d1c0b9e5a').toString('base64')}` };

/** Files of the areas, in streams, in chunks and in bulk. */
export const filesMistakes: Batch = {
  'files.collection-overwrites': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload over a file fails, in the collection area too.',
    kind: 'place',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      const place = areas.files.streamPlaceOf(call, call.admitted);
      const info = place.area.kind === 'collection' ? await areas.fileStore.describe(place) : undefined;
      if (info?.kind === 'file') await areas.files.deleteFile(place);
      return right(areas, call);
    }),
    async shows({ cora }) {
      await cora.upload('twice.txt', 'one', collectionFiles);
      return (await cora.upload('twice.txt', 'two', collectionFiles)).status < 400;
    },
  },

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

  'files.basic-has-an-area-of-its-own': {
    source: 'extensions: Authentication 1',
    breaks: 'A user has one area in a space, whichever way he shows who he is.',
    kind: 'combination',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const area = right(areas, call, user, kind);
      const isBasic = areas.fileAreas.fileCredentialsOf(call)?.scheme === 'basic';
      return area.kind === 'user' && isBasic ? { ...area, userName: `basic ${area.userName}` } : area;
    }),
    async shows({ edda, nobody }) {
      const base = '/api/space/main/user/fs/file';
      await edda.upload('mine.txt', 'content', base);
      return (await nobody.get(`${base}/mine.txt`, basic)).status === 404;
    },
  },

  'bulk.decoded-source': {
    source: 'extensions: Bulk upload request body, row sourceDirectory',
    breaks: 'The source directory is the one with that very name, percent signs in it too.',
    kind: 'value',
    variant: replaces('bulkUpload', 'bulkSettingsFrom', (right, areas, body) => {
      const settings = right(areas, body);
      return { ...settings, sourceDirectory: decodeURIComponent(settings.sourceDirectory) };
    }),
    async shows(service) {
      const sourceDirectory = join(await service.directory(), 'a%20b');
      await mkdir(sourceDirectory);
      await writeFile(join(sourceDirectory, 'percent.txt'), 'content');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/percent.txt`)).status !== 200;
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

  'bulk.target-of-participants': {
    source: 'extensions: Bulk upload request body, row targetDirectory',
    breaks: 'The structure ends up in the target directory, in the area of a participant too.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, area.kind === 'participant' ? target.slice(0, 1) : target, path),
    ),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'deep.txt'), 'content');
      const settings = { sourceDirectory, writeLog: false, targetDirectory: 'one/two' };
      await service.bulk('/admin/fileupload/main/owner', settings);
      const path = '/api/space/main/participant/owner/fs/file/one/two/deep.txt';
      return (await service.edda.get(path)).status !== 200;
    },
  },
};
