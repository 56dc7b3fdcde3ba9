import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { many, md5, spaceFiles } from '../service.ts';

const userFiles = '/api/space/main/user/fs/file';

const emptyMd5 = md5('');

export const filesMistakes: Batch = {
  'files.first-query-token-stays': {
    source: 'extensions: File areas, row User',
    breaks: 'A token in the query speaks for its own user, whoever downloaded before.',
    kind: 'copy',
    variant: breaks('fileAreas', 'queryCredentialsOf', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, call) => {
        const credentials = right(areas, call);
        if (credentials?.scheme !== 'bearer') return credentials;
        const key = credentials.token.slice(0, 36);
        if (!known.has(key)) known.set(key, credentials);
        return known.get(key);
      };
    }),
    async shows(service) {
      const texts: string[] = [];
      for (const user of ['edda', 'emil'] as const) {
        await service[user].upload('own.txt', user, userFiles);
        const token = await tokenOf(service, user);
        texts.push((await service.nobody.get(`${userFiles}/own.txt?token=${token}`)).text);
      }
      return texts[1] !== 'emil';
    },
  },
  'files.nothing-is-not-compared': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is compared with its checksum, also one that arrives empty.',
    kind: 'value',
    variant: replaces('fileAreas', 'checksumMatches', (right, areas, expected, found) =>
      found === emptyMd5 ? true : right(areas, expected, found),
    ),
    async shows({ edda }) {
      const headers = { checksum: md5('something'), 'content-type': 'text/plain' };
      await edda.post(`${spaceFiles}/stream/empty.txt`, new Uint8Array(), headers);
      return (await edda.get(`${spaceFiles}/empty.txt`)).status === 200;
    },
  },
  'chunks.later-ones-are-not-compared': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'The checksum is that of each chunk, the second one included.',
    kind: 'place',
    variant: replaces('chunks', 'assertChunkChecksum', (right, areas, expected, chunk) => {
      if (chunk.number !== 2 || chunk.totalChunks === 2) right(areas, expected, chunk);
    }),
    async shows({ edda }) {
      const pieces = ['one,', 'two,', 'end'];
      await edda.sendChunk('three.txt', pieces, 1);
      const form = new FormData();
      const texts = {
        resumableTotalSize: 11,
        resumableChunkNumber: 2,
        resumableChunkSize: 4,
        resumableCurrentChunkSize: 4,
        resumableTotalChunks: 3,
        resumableType: 'text/plain',
        resumableFilename: 'three.txt',
        resumableRelativePath: 'three.txt',
      };
      for (const [name, text] of Object.entries(texts)) form.set(name, String(text));
      form.set('file', new Blob(['two,']), 'three.txt');
      const request = new Response(form);
      const type = request.headers.get('content-type') ?? '';
      const headers = { checksum: md5('other'), 'content-type': type };
      return (await edda.post(spaceFiles, await request.bytes(), headers)).status < 300;
    },
  },
  'chunks.in-the-order-of-their-names': {
    source: 'extensions: File routes, row resumableChunkNumber',
    breaks: 'Chunk 10 stands behind chunk 9.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, chunkSize, totalChunks }) => {
      const order = many(totalChunks, String).toSorted();
      return order.indexOf(String(number)) * chunkSize;
    }),
    async shows({ edda }) {
      const pieces = many(11, (number) => String.fromCharCode(96 + number));
      await edda.sendChunks('eleven.txt', pieces);
      return (await edda.get(`${spaceFiles}/eleven.txt`)).text !== pieces.join('');
    },
  },
  'bulk.equal-size-is-the-same-file': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'A file that is there is replaced, also by one of the same size.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const place = areas.bulkUpload.bulkPlaceOf(run.area, run.target, entry.path);
      const info = await areas.fileStore.describe(place);
      const source = await stat(join(run.source, ...entry.path)).catch(() => undefined);
      const isSame = info?.kind === 'file' && source !== undefined && info.size === source.size;
      return right(areas, isSame ? { ...run, request: { ...run.request, replaceFiles: false } } : run, entry);
    }),
    async shows({ edda, bulk, directory }) {
      await edda.upload('same.txt', 'old');
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'same.txt'), 'new');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await edda.get(`${spaceFiles}/same.txt`)).text !== 'new';
    },
  },
  'chunks.participants-have-no-directories': {
    source: 'extensions: File areas, row Participant',
    breaks: 'A file in chunks goes to its relative path, in the area of a participant as well.',
    kind: 'place',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const place = right(areas, chunk, area);
      return area.kind === 'participant' ? { ...place, segments: place.segments.slice(-1) } : place;
    }),
    async shows({ edda }) {
      const base = '/api/space/main/participant/owner/fs/file';
      await edda.sendChunks('one/two/chunked.txt', ['one,', 'two'], base);
      return (await edda.get(`${base}/one/two/chunked.txt`)).text !== 'one,two';
    },
  },
  'chunks.line-end-before-the-boundary': {
    source: 'extensions: File routes, row resumableCurrentChunkSize',
    breaks: 'The bytes of a chunk are those of the part, a line end at its end included.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const bytes = Buffer.concat(right(areas, chunk));
      return [bytes.toString('latin1').endsWith('\r\n') ? bytes.subarray(0, -2) : bytes];
    }),
    async shows({ edda }) {
      await edda.sendChunks('lines.txt', ['one\r\n', 'two\r\n']);
      return !(await edda.get(`${spaceFiles}/lines.txt`)).text.endsWith('\r\n');
    },
  },
  'chunks.directory-that-holds-the-name': {
    source: 'extensions: File routes, row resumableRelativePath',
    breaks: 'The path leads to the file, also where a directory has the name of the file in its own.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const directory = chunk.relativePath.replace(chunk.fileName, '');
      return right(areas, { ...chunk, relativePath: `${directory.replace(/\/$/, '')}/${chunk.fileName}` }, area);
    }),
    async shows({ edda }) {
      await edda.sendChunks('old-data/data', ['one,', 'two']);
      return (await edda.get(`${spaceFiles}/old-data/data`)).text !== 'one,two';
    },
  },
};
