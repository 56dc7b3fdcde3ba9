import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { spaceFiles } from '../service.ts';

const userFiles = '/api/space/main/user/fs/file';

export const filesMistakes: Batch = {
  'files.token-of-another-name': {
    source: 'extensions: Authentication 1',
    breaks: 'Basic authentication takes the user name together with the personal access token of that user.',
    kind: 'combination',
    variant: replaces('fileAreas', 'fileCredentialsOf', (right, areas, call) => {
      const credentials = right(areas, call);
      return credentials?.scheme === 'basic' && credentials.secret.startsWith('svcpat-')
        ? { scheme: 'bearer', token: credentials.secret }
        : credentials;
    }),
    async shows({ edda, nobody }) {
      await edda.upload('basic.txt', 'basic');
      const authorization = `Basic ${Buffer.from('emil:svcpat-edda-7d1c0b9e5a').toString('base64')}`;
      return (await nobody.get(`${spaceFiles}/basic.txt`, { authorization })).status === 200;
    },
  },

  'files.user-area-of-the-first-space': {
    source: 'extensions: File areas, row User',
    breaks: 'The user area of a space is that space only: what is put there is not found in another space.',
    kind: 'copy',
    variant: breaks('fileAreas', 'fileAreaOf', (right) => {
      const first = new Map<string, string>();
      return (areas, call, user, kind) => {
        const area = right(areas, call, user, kind);
        if (area.kind !== 'user') return area;
        const spaceId = first.get(area.userName) ?? area.spaceId;
        first.set(area.userName, spaceId);
        return { ...area, spaceId };
      };
    }),
    async shows({ edda }) {
      await edda.upload('mine.txt', 'main', userFiles);
      return (await edda.get('/api/space/depot/user/fs/file/mine.txt')).status === 200;
    },
  },

  'files.last-chunk-at-its-own-size': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The nominal chunk size places a chunk, also the last one, which may be shorter.',
    kind: 'combination',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
      const size = [...chunk.pieces].reduce((sum, piece) => sum + piece.length, 0);
      return chunk.number > 2 && size < chunk.chunkSize
        ? right(areas, { ...chunk, number: chunk.number - 1 }) + size
        : right(areas, chunk);
    }),
    async shows({ edda }) {
      await edda.sendChunks('short.txt', ['aaaa', 'bbbb', 'cc']);
      return (await edda.get(`${spaceFiles}/short.txt`)).text !== 'aaaabbbbcc';
    },
  },

  'files.directories-of-one-name-once': {
    source: 'extensions: File routes, chunk table, resumableRelativePath',
    breaks: 'A chunked file ends up at its relative path with all subdirectories, two of the same name included.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const place = right(areas, chunk, area);
      return { ...place, segments: place.segments.filter((name, index, all) => name !== all[index - 1]) };
    }),
    async shows({ edda }) {
      await edda.sendChunks('same/same/file.txt', ['aaaa', 'bb']);
      return (await edda.get(`${spaceFiles}/same/same/file.txt`)).status !== 200;
    },
  },

  'files.deleted-name-stays-taken': {
    source: 'extensions: File routes, row 1',
    breaks:
      'A stream upload fails where the file exists, and not where it was deleted meanwhile, in a directory of a directory as well.',
    kind: 'copy',
    variant: breaks('files', 'assertPlaceFree', (right) => {
      const owners = new Set<string>();
      return async (areas, place) => {
        await right(areas, place);
        const key = JSON.stringify(place);
        if (owners.has(key) && place.segments.length > 2) throw areas.fileAreas.placeTaken(place);
        owners.add(key);
      };
    }),
    async shows({ edda }) {
      await edda.upload('deep/deeper/again.txt', 'one');
      await edda.delete(`${spaceFiles}/deep/deeper/again.txt`);
      return (await edda.upload('deep/deeper/again.txt', 'two')).status !== 201;
    },
  },
};

export const bulkMistakes: Batch = {
  'bulk.source-named-as-its-target': {
    source: 'extensions: Bulk upload request body, row targetDirectory',
    breaks: 'The structure of the source ends up below the target, also a directory of the same name.',
    kind: 'value',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) => {
      const same = target.length > 0 && target.at(-1) === path[0];
      return right(areas, area, target, same ? path.slice(1) : path);
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await mkdir(join(sourceDirectory, 'data'));
      await writeFile(join(sourceDirectory, 'data', 'file.txt'), 'content');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, targetDirectory: '/data' });
      return (await service.edda.get(`${spaceFiles}/data/data/file.txt`)).status !== 200;
    },
  },

  'bulk.replaced-files-stay': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    breaks: 'Uploaded files are deleted from the source, those that replaced another one as well.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'isDeletedAfter', (right, areas, request, file) => {
      return right(areas, request, file) && file.status !== 'replaced';
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'file.txt'), 'new');
      await service.edda.upload('file.txt', 'old');
      const body = { sourceDirectory, writeLog: false, replaceFiles: true, deleteFilesAfterUpload: true };
      await service.bulk('/admin/fileupload/main', body);
      return isThere(join(sourceDirectory, 'file.txt'));
    },
  },

  'bulk.settings-of-the-run-before': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'replaceFiles is false where it is left out, also after a run that had it.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      let last = false;
      return (areas, body) => {
        const settings = right(areas, body);
        const isGiven = typeof body === 'object' && body !== null && 'replaceFiles' in body;
        last = isGiven ? settings.replaceFiles : last;
        return { ...settings, replaceFiles: last };
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'kept.txt'), 'new');
      await service.edda.upload('kept.txt', 'old');
      const path = '/admin/fileupload/main';
      await service.bulk(path, { sourceDirectory, writeLog: false, replaceFiles: true, targetDirectory: '/other' });
      await service.bulk(path, { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/kept.txt`)).text !== 'old';
    },
  },

  'bulk.no-log-where-all-was-skipped': {
    source: 'extensions: Bulk upload request body, row writeLog',
    breaks: 'The log is written when it is asked for, also when the files were all skipped.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      if (report.files.some(({ status }) => status !== 'skipped')) await right(areas, source, report);
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'skipped.txt'), 'new');
      await service.edda.upload('skipped.txt', 'old');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: true });
      return !(await readdir(sourceDirectory)).some((name) => name.startsWith('FileUpload_'));
    },
  },
};
