import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { administrationKey, at, md5, signatureOver, spaceFiles } from '../service.ts';

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
  'files.chunk-loses-its-last-line-end': {
    source: 'extensions: File routes',
    breaks: 'A file that came in chunks has every byte, the line end at its end included.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const bytes = Buffer.concat(right(areas, chunk));
      return [bytes.at(-1) === 10 ? bytes.subarray(0, -1) : bytes];
    }),
    async shows({ edda }) {
      await edda.sendChunks('c.txt', ['line\n']);
      return (await edda.get(`${spaceFiles}/c.txt`)).text !== 'line\n';
    },
  },
  'files.half-a-checksum-is-enough': {
    source: 'extensions: File routes',
    breaks: 'The whole checksum of a stream is compared, its last digit too.',
    kind: 'value',
    variant: replaces(
      'fileAreas',
      'checksumMatches',
      (_right, _areas, expected, found) => expected.slice(0, 16) === found.slice(0, 16),
    ),
    async shows({ edda }) {
      const right = md5('a');
      const checksum = `${right.slice(0, 31)}${right.endsWith('0') ? '1' : '0'}`;
      const headers = { checksum, 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/a.txt`, 'a', headers)).status < 300;
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
  'files.bulk-leaves-sources-in-subdirectories': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Uploaded files of subdirectories are deleted from the source as well.',
    kind: 'place',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => right(areas, request, file) && !file.path.includes('/'),
    ),
    async shows({ directory, bulk }) {
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, 'sub'));
      await writeFile(join(sourceDirectory, 'sub', 'a.txt'), 'a');
      const body = { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true };
      await bulk('/admin/fileupload/main', body);
      return (await readdir(join(sourceDirectory, 'sub'))).length !== 0;
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
  'files.bulk-signature-of-the-space-opens-its-participants': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature is that of the whole path, the participant included.',
    kind: 'place',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const { participantId } = call.params;
      const spacePath = call.url.split('/').slice(0, -1).join('/');
      if (participantId === undefined) return right(areas, call);
      return right(areas, call).catch(() => right(areas, { ...call, url: spacePath }));
    }),
    async shows({ directory, nobody }) {
      const sourceDirectory = await directory();
      const authorization = `Bearer ${signatureOver('/admin/fileupload/main', administrationKey)}`;
      const body = { sourceDirectory, writeLog: false };
      const answer = await nobody.post('/admin/fileupload/main/supplier', body, { authorization });
      return answer.status < 300;
    },
  },
  'files.bulk-passes-over-hidden-files': {
    source: 'extensions: Bulk upload request body',
    breaks: 'All files of the source directory are uploaded, also one whose name begins with a dot.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      if (!entry.path.at(-1)?.startsWith('.')) return right(areas, run, entry);
      return { path: entry.path.join('/'), status: 'skipped' };
    }),
    async shows({ directory, bulk, edda }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, '.a'), 'a');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      const answer = await edda.get(`${spaceFiles}/.a`);
      return at(answer, '/status') !== 200;
    },
  },
};
