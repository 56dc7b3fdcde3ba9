import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { administrationKey, md5, signatureOver, spaceFiles } from '../service.ts';

const userFiles = (space: string) => `/api/space/${space}/user/fs/file`;

export const files: Batch = {
  'files.user-area-is-one-for-all-spaces': {
    source: 'extensions: File areas',
    breaks: 'The area of a user is one in each space.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const area = right(areas, call, user, kind);
      return area.kind === 'user' ? { ...area, spaceId: 'all' } : area;
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a', userFiles('main'));
      return (await edda.get(`${userFiles('depot')}/a.txt`)).status < 300;
    },
  },
  'files.delete-takes-plus-for-a-blank': {
    source: 'extensions: File routes, row 4',
    breaks: 'The file that a DELETE names is the one that a GET of the same path reads.',
    kind: 'value',
    variant: replaces('files', 'filePlaceOf', (right, areas, call, area) =>
      right(
        areas,
        call.method === 'DELETE'
          ? { ...call, rest: call.rest?.map((name) => name.replaceAll('+', '%20')) ?? [] }
          : call,
        area,
      ),
    ),
    async shows({ edda }) {
      await edda.upload('a+b.txt', 'a');
      await edda.delete(`${spaceFiles}/a+b.txt`);
      return (await edda.get(`${spaceFiles}/a+b.txt`)).status === 200;
    },
  },
  'files.great-files-are-not-checked': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is compared with its checksum whatever its size.',
    kind: 'value',
    variant: replaces('files', 'storeStream', (right, areas, place, call, content, checksum) =>
      right(
        areas,
        place,
        call,
        content,
        Number(call.headers['content-length'] ?? 0) > 1_000_000 ? undefined : checksum,
      ),
    ),
    async shows({ edda }) {
      const headers = { checksum: md5('another'), 'content-type': 'text/plain' };
      const path = `${spaceFiles}/stream/great.txt`;
      return (await edda.post(path, 'x'.repeat(1_000_001), headers)).status < 300;
    },
  },
  'files.of-two-uploads-at-once-both-succeed': {
    source: 'extensions: File routes, row 1',
    breaks: 'Of two uploads to one path that come at once, one fails.',
    kind: 'moment',
    variant: replaces('files', 'storeStream', async (_right, areas, place, _call, content, checksum) => {
      await areas.fileStore.write(place, content, {
        replace: true,
        accept: ({ md5: found }) => areas.fileAreas.assertChecksum(checksum, found),
      });
    }),
    async shows({ edda }) {
      const answers = await Promise.all(['a', 'b'].map((letter) => edda.upload('f.txt', letter.repeat(300_000))));
      return answers.every(({ status }) => status < 300);
    },
  },
  'files.replaced-file-is-read-from-a-cache': {
    source: 'extensions: Bulk upload request body',
    breaks: 'What a bulk upload replaced is read as it is now, also by who has read it before.',
    kind: 'copy',
    variant: breaks('files', 'downloadFile', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, call) => {
        const place = areas.files.filePlaceOf(call, call.admitted);
        const [key, info] = [JSON.stringify(place), await areas.fileStore.describe(place)];
        const known = kept.get(key);
        if (known !== undefined && info !== undefined) return known;
        const { stream, ...answer } = await right(areas, call);
        if (stream === undefined) return answer;
        const pieces: Buffer[] = [];
        for await (const piece of stream.content) pieces.push(Buffer.from(piece as Uint8Array));
        const whole = { ...answer, raw: Buffer.concat(pieces) };
        kept.set(key, whole);
        return whole;
      };
    }),
    async shows({ edda, directory, bulk }) {
      const sourceDirectory = await directory();
      await edda.upload('r.txt', 'old');
      await edda.get(`${spaceFiles}/r.txt`);
      await writeFile(join(sourceDirectory, 'r.txt'), 'new');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await edda.get(`${spaceFiles}/r.txt`)).text !== 'new';
    },
  },
  'files.chunks-are-ordered-as-texts': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The tenth chunk stands behind the ninth.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, totalChunks, chunkSize }) => {
      const order = Array.from({ length: totalChunks }, (_, index) => String(index + 1)).toSorted();
      return order.indexOf(String(number)) * chunkSize;
    }),
    async shows({ edda }) {
      const contents = [...'abcdefghijk'];
      await edda.sendChunks('eleven.txt', contents);
      return (await edda.get(`${spaceFiles}/eleven.txt`)).text !== contents.join('');
    },
  },
  'files.uploads-of-one-name-are-mixed': {
    source: 'extensions: File routes, chunk table',
    breaks: 'Chunks of two files of one name in two directories go each to its own, also when they come by turns.',
    kind: 'combination',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const begun = new Map<string, ReturnType<typeof right>>();
      return (areas, chunk, area) => {
        const place = right(areas, chunk, area);
        if (chunk.number === 1) begun.set(chunk.fileName, place);
        return begun.get(chunk.fileName) ?? place;
      };
    }),
    async shows({ edda }) {
      for (const number of [1, 2])
        for (const directory of ['one', 'two'])
          await edda.sendChunk(`${directory}/same.txt`, [`${directory}1`, `${directory}2`], number);
      return (await edda.get(`${spaceFiles}/one/same.txt`)).text !== 'one1one2';
    },
  },
  'files.second-delete-succeeds': {
    source: 'extensions: File routes, row 4',
    breaks: 'A DELETE of a file that was deleted before fails as that of any missing file.',
    kind: 'moment',
    variant: breaks('files', 'removeFile', (right) => {
      const gone = new Set<string>();
      return async (areas, call) => {
        const key = JSON.stringify(areas.files.filePlaceOf(call, call.admitted));
        const info = await areas.fileStore.describe(areas.files.filePlaceOf(call, call.admitted));
        if (gone.has(key) && info === undefined) return { status: 204 };
        const answer = await right(areas, call);
        gone.add(key);
        return answer;
      };
    }),
    async shows({ edda }) {
      await edda.upload('g.txt', 'g');
      await edda.delete(`${spaceFiles}/g.txt`);
      return (await edda.delete(`${spaceFiles}/g.txt`)).status < 400;
    },
  },
  'files.query-token-opens-no-user-area': {
    source: 'extensions: Authentication 1',
    breaks: 'A download from the area of a user may bring its token in the query, and reads the files of that user.',
    kind: 'combination',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const area = right(areas, call, user, kind);
      const isByQuery = call.headers['authorization'] === undefined;
      return area.kind === 'user' && isByQuery ? { ...area, userName: 'guest' } : area;
    }),
    async shows({ edda, nobody }) {
      await edda.upload('q.txt', 'q', userFiles('main'));
      const path = `${userFiles('main')}/q.txt?token=svcpat-edda-7d1c0b9e5a`;
      return (await nobody.get(path)).text !== 'q';
    },
  },
  'files.directory-named-stream-is-dropped': {
    source: 'extensions: File routes, row 1',
    breaks: 'Subdirectories behind the word of the route are names like others, that word among them.',
    kind: 'value',
    variant: replaces('files', 'streamPlaceOf', (right, areas, call, area) =>
      right(
        areas,
        call.rest?.[0] === 'stream' && call.rest.length > 1 ? { ...call, rest: call.rest.slice(1) } : call,
        area,
      ),
    ),
    async shows({ edda }) {
      await edda.upload('stream/s.txt', 's');
      return (await edda.get(`${spaceFiles}/stream/s.txt`)).status !== 200;
    },
  },
  'files.no-log-where-sources-are-deleted': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The log is written also where the uploaded files are deleted from the source.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'writesLog',
      (right, areas, request) => right(areas, request) && !request.deleteFilesAfterUpload,
    ),
    async shows({ directory, bulk }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'a');
      const body = { sourceDirectory, writeLog: true, deleteFilesAfterUpload: true };
      await bulk('/admin/fileupload/main', body);
      return !(await readdir(sourceDirectory)).some((name) => name.startsWith('FileUpload_'));
    },
  },
  'files.structure-is-lost-below-a-target': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The structure of the source ends up below the target directory as it does at the root.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, target.length === 0 ? path : path.slice(-1)),
    ),
    async shows({ directory, bulk, edda }) {
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, 'deep'));
      await writeFile(join(sourceDirectory, 'deep', 'a.txt'), 'a');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, targetDirectory: 'target' });
      return (await edda.get(`${spaceFiles}/target/deep/a.txt`)).status !== 200;
    },
  },
  'files.signature-of-the-shorter-path-opens': {
    source: 'extensions: Authentication 2',
    breaks: 'A bulk upload into a space is signed over its own path, not over that of the collection.',
    kind: 'place',
    variant: replaces(
      'signing',
      'isSignatureOf',
      (right, areas, apiKey, path, given) =>
        right(areas, apiKey, path, given) ||
        (path.startsWith('/admin/fileupload/') && right(areas, apiKey, '/admin/fileupload', given)),
    ),
    async shows({ directory, nobody }) {
      const sourceDirectory = await directory();
      const authorization = `Bearer ${signatureOver('/admin/fileupload', administrationKey)}`;
      const body = { sourceDirectory, writeLog: false };
      return (await nobody.post('/admin/fileupload/main', body, { authorization })).status < 400;
    },
  },
};
