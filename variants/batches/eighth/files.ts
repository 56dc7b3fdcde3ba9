import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

const userFiles = '/api/space/main/user/fs/file';

export const files: Batch = {
  'files.delete-in-one-area-reaches-another': {
    source: 'extensions: File areas',
    breaks: 'A file that is deleted in the area of a user stays in that of the space.',
    kind: 'combination',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const { area } = place;
      if (area.kind === 'user')
        await right(areas, { ...place, area: { kind: 'space', spaceId: area.spaceId } }).catch(() => false);
      return right(areas, place);
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a');
      await edda.upload('a.txt', 'a', userFiles);
      await edda.delete(`${userFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt`)).status !== 200;
    },
  },
  'files.user-has-one-area-for-all-spaces': {
    source: 'extensions: File areas',
    breaks: 'The area of a user in one space is another one than that in another space.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const area = right(areas, call, user, kind);
      return area.kind === 'user' ? { ...area, spaceId: 'main' } : area;
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a', userFiles);
      return (await edda.get('/api/space/depot/user/fs/file/a.txt')).status === 200;
    },
  },
  'files.equal-content-may-come-again': {
    source: 'extensions: File routes',
    breaks: 'An upload fails where the file exists, also when it has this very content.',
    kind: 'combination',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      const place = areas.files.streamPlaceOf(call, call.admitted);
      const info = await areas.fileStore.describe(place);
      const record = info?.kind === 'file' ? await areas.fileAreas.fileRecordOf(place, info.stamp) : undefined;
      const isSame = record?.md5 !== undefined && record.md5 === call.headers['checksum'];
      return isSame ? areas.fileAreas.createdFile(place) : right(areas, call);
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a');
      return (await edda.upload('a.txt', 'a')).status < 300;
    },
  },
  'files.directories-go-four-deep': {
    source: 'extensions: File routes',
    breaks: 'Directories are made as needed, however deep.',
    kind: 'value',
    variant: replaces('files', 'streamPlaceOf', (right, areas, call, area) => {
      const place = right(areas, call, area);
      const { segments } = place;
      return segments.length <= 5 ? place : { ...place, segments: [...segments.slice(0, 4), ...segments.slice(-1)] };
    }),
    async shows({ edda }) {
      await edda.upload('a/b/c/d/e/f.txt', 'a');
      return (await edda.get(`${spaceFiles}/a/b/c/d/e/f.txt`)).status !== 200;
    },
  },
  'files.bulk-replaces-in-the-root-only': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Existing files are replaced in subdirectories as well.',
    kind: 'place',
    variant: replaces('bulkUpload', 'uploadSourceFile', (right, areas, run, entry) => {
      const request = entry.path.length > 1 ? { ...run.request, replaceFiles: false } : run.request;
      return right(areas, { ...run, request }, entry);
    }),
    async shows({ edda, directory, bulk }) {
      await edda.upload('sub/a.txt', 'old');
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, 'sub'));
      await writeFile(join(sourceDirectory, 'sub', 'a.txt'), 'new');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await edda.get(`${spaceFiles}/sub/a.txt`)).text !== 'new';
    },
  },
  'files.bulk-target-has-one-name': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The target directory is the whole relative path.',
    kind: 'value',
    variant: replaces('bulkUpload', 'bulkTargetOf', (right, areas, request) => right(areas, request).slice(0, 1)),
    async shows({ directory, bulk, edda }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'a');
      const body = { sourceDirectory, writeLog: false, targetDirectory: 'x/y' };
      await bulk('/admin/fileupload/main', body);
      return (await edda.get(`${spaceFiles}/x/y/a.txt`)).status !== 200;
    },
  },
};
