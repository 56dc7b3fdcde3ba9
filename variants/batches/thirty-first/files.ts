import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, md5, spaceFiles } from '../service.ts';

const userFiles = '/api/space/main/user/fs/file';

export const filesMistakes: Batch = {
  'files.unchecked-with-a-personal-token': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is validated against its checksum, also one that was sent with Basic authentication.',
    kind: 'role',
    variant: replaces('files', 'storeStream', (right, areas, place, call, content, checksum) => {
      const isBasic = /^basic /i.test(call.headers['authorization'] ?? '');
      return right(areas, place, call, content, isBasic ? undefined : checksum);
    }),
    async shows({ nobody }) {
      const authorization = `Basic ${Buffer.from('edda:svcpat-edda-7d1c0b9e5a').toString('base64')}`;
      const headers = { authorization, checksum: md5('other'), 'content-type': 'text/plain' };
      return (await nobody.post(`${spaceFiles}/stream/a/b.txt`, 'text', headers)).status < 300;
    },
  },

  'files.root-before-the-first-directory': {
    source: 'extensions: File routes, text below the table',
    breaks: 'A file may be put into the root of its area, also as the first one of all.',
    kind: 'moment',
    variant: replaces('files', 'assertPlaceFree', async (right, areas, place) => {
      if (place.segments.length === 1 && (await areas.fileStore.list({ ...place, segments: [] })) === undefined)
        throw new Refusal(500, 'The directory of the area is not there.');
      await right(areas, place);
    }),
    async shows({ edda }) {
      return (await edda.upload('first.txt', 'text', userFiles)).status !== 201;
    },
  },

  'chunks.texts-behind-the-file': {
    source: 'extensions: File routes, chunk upload',
    breaks: 'The form has the part of the file and text parts, which may stand behind it.',
    kind: 'place',
    variant: replaces('chunks', 'formPartsOf', async (right, areas, call) => {
      const parts = await right(areas, call);
      const at = parts.findIndex(({ name }) => name === 'file');
      return at < 0 ? parts : parts.slice(0, at + 1);
    }),
    async shows({ edda }) {
      const texts = {
        resumableTotalSize: '4',
        resumableChunkNumber: '1',
        resumableChunkSize: '4',
        resumableCurrentChunkSize: '4',
        resumableTotalChunks: '1',
        resumableType: 'text/plain',
        resumableFilename: 'c.txt',
        resumableRelativePath: 'chunked/c.txt',
      };
      const form = new FormData();
      form.set('file', new Blob(['text']), 'c.txt');
      for (const [name, text] of Object.entries(texts)) form.set(name, text);
      const request = new Response(form);
      const type = request.headers.get('content-type') ?? '';
      const headers = { checksum: md5('text'), 'content-type': type };
      return (await edda.post(spaceFiles, await request.bytes(), headers)).status >= 300;
    },
  },

  'bulk.personal-token-of-the-administrator': {
    source: 'extensions: Authentication 2',
    breaks:
      'The administration key alone opens bulk upload, not the personal access token of a Collection Administrator.',
    kind: 'role',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      const user = credentials?.scheme === 'basic' ? await areas.auth.userOfCredentials(credentials) : undefined;
      if (user === undefined || !areas.auth.mayAdministrate(user)) await right(areas, call);
    }),
    async shows({ nobody, directory }) {
      const authorization = `Basic ${Buffer.from('cora:svcpat-cora-6f8b0d2e4a').toString('base64')}`;
      const body = { sourceDirectory: await directory(), writeLog: false };
      return (await nobody.post('/admin/fileupload', body, { authorization })).status < 300;
    },
  },

  'bulk.equal-sizes-are-equal-files': {
    source: 'extensions: Bulk upload request body, replaceFiles',
    breaks: 'With replaceFiles a file that exists is replaced, also by one of the same length.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const there = await areas.fileStore.describe({ area: run.area, segments: [...run.target, ...entry.path] });
      const source = await stat(join(run.source, ...entry.path)).catch(() => undefined);
      if (there?.kind !== 'file' || there.size !== source?.size) return right(areas, run, entry);
      return { path: entry.path.join('/'), status: 'skipped' };
    }),
    async shows({ edda, bulk, directory }) {
      const sourceDirectory = await directory();
      await edda.upload('a.txt', 'old');
      await writeFile(join(sourceDirectory, 'a.txt'), 'new');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await edda.get(`${spaceFiles}/a.txt`)).text !== 'new';
    },
  },

  'bulk.directory-as-it-was-at-first': {
    source: 'extensions: Bulk upload request body, sourceDirectory',
    breaks: 'A run takes the files of its directory, also those that came after an earlier run from there.',
    kind: 'place',
    variant: (classes) => {
      const known = new Map<string, Set<string>>();
      const closed = new Set<string>();
      return together(
        replaces('bulkUpload', 'runBulkUpload', async (right, areas, run) => {
          const report = await right(areas, run);
          closed.add(run.source);
          return report;
        }),
        replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
          const path = entry.path.join('/');
          const paths = known.get(run.source) ?? new Set();
          known.set(run.source, paths);
          if (closed.has(run.source) && !paths.has(path)) return { path, status: 'skipped' };
          paths.add(path);
          return right(areas, run, entry);
        }),
      )(classes);
    },
    async shows({ edda, bulk, directory }) {
      const sourceDirectory = await directory();
      const body = { sourceDirectory, writeLog: false, replaceFiles: true };
      await writeFile(join(sourceDirectory, 'a.txt'), 'a');
      await bulk('/admin/fileupload/main', body);
      await writeFile(join(sourceDirectory, 'b.txt'), 'b');
      const answer = await bulk('/admin/fileupload/main', body);
      return (
        at(answer.json, '/statistics/total') !== undefined && (await edda.get(`${spaceFiles}/b.txt`)).status !== 200
      );
    },
  },
};
