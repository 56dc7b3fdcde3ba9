import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { administrationKey, md5, signatureOver, spaceFiles } from '../service.ts';
import { tokenOf } from './access.ts';

const emptyMd5 = md5('');

export const files: Batch = {
  'files.empty-file-has-any-checksum': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is validated against its checksum, be it empty.',
    kind: 'value',
    variant: replaces('fileAreas', 'assertChecksum', (right, areas, expected, found) => {
      if (found !== emptyMd5) right(areas, expected, found);
    }),
    async shows({ edda }) {
      const headers = { checksum: md5('x'), 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/empty.txt`, '', headers)).status < 300;
    },
  },
  'files.download-is-kept-by-size': {
    source: 'extensions: File routes, GET',
    breaks: 'A download is what was uploaded last, also where the file before it at that path was as long.',
    kind: 'copy',
    variant: breaks('files', 'downloadFile', (right) => {
      const kept = new Map<string, Buffer>();
      return async (areas, call) => {
        const { stream, ...answer } = await right(areas, call);
        if (stream === undefined || answer.status !== 200)
          return { ...answer, ...(stream === undefined ? {} : { stream }) };
        const key = `${JSON.stringify(call.admitted)} ${call.rest?.join('/') ?? ''} ${stream.size}`;
        const raw = kept.get(key) ?? (await buffer(stream.content));
        stream.content.destroy();
        kept.set(key, raw);
        return { ...answer, raw };
      };
    }),
    async shows({ edda }) {
      await edda.upload('x.txt', 'one');
      await edda.get(`${spaceFiles}/x.txt`);
      await edda.delete(`${spaceFiles}/x.txt`);
      await edda.upload('x.txt', 'two');
      return (await edda.get(`${spaceFiles}/x.txt`)).text !== 'two';
    },
  },
  'files.root-of-a-participant-is-that-of-the-space': {
    source: 'extensions: File areas',
    breaks: 'A file in the root of the area of a participant is in no other area.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) =>
      kind === 'participant' && call.rest?.length === 1
        ? areas.fileAreas.spaceArea(call)
        : right(areas, call, user, kind),
    ),
    async shows({ edda }) {
      await edda.upload('own.txt', 'x', '/api/space/main/participant/owner/fs/file');
      return (await edda.get(`${spaceFiles}/own.txt`)).status === 200;
    },
  },
  'files.chunks-follow-the-name': {
    source: 'extensions: File routes, resumableRelativePath',
    breaks:
      'Each chunk goes to the path in its own form, also while another file of that name is on its way elsewhere.',
    kind: 'combination',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const places = new Map<string, FilePlace>();
      return (areas, chunk, area) => {
        const own = right(areas, chunk, area);
        if (chunk.number === 1) places.set(chunk.fileName, own);
        return places.get(chunk.fileName) ?? own;
      };
    }),
    async shows({ edda }) {
      for (const number of [1, 2]) {
        await edda.sendChunk('one/same.txt', ['aaa', 'bbb'], number);
        await edda.sendChunk('two/same.txt', ['ccc', 'ddd'], number);
      }
      return (await edda.get(`${spaceFiles}/one/same.txt`)).text !== 'aaabbb';
    },
  },
  'files.token-in-the-query-opens-the-root-only': {
    source: 'extensions: Authentication 1',
    breaks: 'A download may have its token in the query, also from a subdirectory.',
    kind: 'place',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) =>
      (call.rest?.length ?? 0) > 1 ? undefined : right(areas, call),
    ),
    async shows(service) {
      await service.edda.upload('deep/x.txt', 'x');
      const token = await tokenOf(service, 'edda');
      return (await service.nobody.get(`${spaceFiles}/deep/x.txt?token=${token}`)).status !== 200;
    },
  },
  'files.bulk-replaces-in-the-root-only': {
    source: 'extensions: Bulk upload request body, replaceFiles',
    breaks: 'Files that exist are replaced where that is asked for, also below subdirectories.',
    kind: 'place',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      if (entry.path.length === 1) return right(areas, run, entry);
      return right(areas, { ...run, request: { ...run.request, replaceFiles: false } }, entry);
    }),
    async shows({ edda, directory, bulk }) {
      await edda.upload('sub/x.txt', 'old');
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, 'sub'));
      await writeFile(join(sourceDirectory, 'sub', 'x.txt'), 'new');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await edda.get(`${spaceFiles}/sub/x.txt`)).text !== 'new';
    },
  },
  'files.bulk-that-deletes-leaves-no-log': {
    source: 'extensions: Bulk upload request body, writeLog',
    breaks: 'The log is written where it is asked for, also where the files are deleted after the upload.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'writesLog',
      (right, areas, request) => right(areas, request) && !request.deleteFilesAfterUpload,
    ),
    async shows({ directory, bulk }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'x.txt'), 'x');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: true, deleteFilesAfterUpload: true });
      return (await readdir(sourceDirectory)).length === 0;
    },
  },
  'files.same-content-may-come-again': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A stream upload fails when the file exists, also where it would change nothing.',
    kind: 'combination',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      try {
        return await right(areas, call);
      } catch (error) {
        const place = areas.files.streamPlaceOf(call, call.admitted);
        const info = await areas.fileStore.describe(place);
        const record = info?.kind === 'file' ? await areas.fileAreas.fileRecordOf(place, info.stamp) : undefined;
        const isSame = record?.md5 !== undefined && record.md5 === call.headers['checksum'];
        if (!(error instanceof Refusal) || error.status !== 409 || !isSame) throw error;
        return areas.fileAreas.createdFile(place);
      }
    }),
    async shows({ edda }) {
      await edda.upload('x.txt', 'x');
      return (await edda.upload('x.txt', 'x')).status < 300;
    },
  },
  'files.bulk-signature-of-the-parent-will-do': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature is that of the path of the request, to its last segment.',
    kind: 'value',
    variant: replaces(
      'signing',
      'isSignatureOf',
      (right, areas, apiKey, path, given) =>
        right(areas, apiKey, path, given) || right(areas, apiKey, path.slice(0, path.lastIndexOf('/')), given),
    ),
    async shows({ directory, nobody }) {
      const body = { sourceDirectory: await directory(), writeLog: false };
      const authorization = `Bearer ${signatureOver('/admin/fileupload/main', administrationKey)}`;
      return (await nobody.post('/admin/fileupload/main/owner', body, { authorization })).status < 300;
    },
  },
};
