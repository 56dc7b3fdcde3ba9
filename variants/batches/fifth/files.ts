import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Client, type Received, md5, spaceFiles } from '../service.ts';

const noContent = md5('');

/** Names that a refused upload left behind, by the store of the server. */
const spoilt = new WeakMap<object, Set<string>>();

function spoiltIn(fileStore: object): Set<string> {
  const known = spoilt.get(fileStore) ?? new Set<string>();
  spoilt.set(fileStore, known);
  return known;
}

interface Piece {
  readonly path: string;
  readonly content: string;
  readonly number: number;
  readonly total: number;
  readonly chunkSize: number;
  readonly size: number;
}

/** Sends one chunk of a file of the space area, all of whose chunks but the last have `chunkSize` bytes. */
function sendChunk(
  client: Client,
  { path, content, number, total, chunkSize, size }: Piece,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  const parts = {
    resumableTotalSize: size,
    resumableChunkNumber: number,
    resumableChunkSize: chunkSize,
    resumableCurrentChunkSize: content.length,
    resumableTotalChunks: total,
    resumableType: 'text/plain',
    resumableFilename: path,
    resumableRelativePath: path,
  };
  const texts = Object.entries(parts).map(
    ([name, value]) => `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file =
    '--edge\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: text/plain\r\n\r\n';
  const body = `${texts.join('')}${file}${content}\r\n--edge--\r\n`;
  return client.post(spaceFiles, body, {
    checksum: md5(content),
    'content-type': 'multipart/form-data; boundary=edge',
    ...headers,
  });
}

/** Personal access token of the user edda of the seed. */
const token = 'svcpat-edda-7d1c0b9e5a';

const userFiles = (space: string): string => `/api/space/${space}/user/fs/file`;

export const files: Batch = {
  'files.delete-takes-what-begins-alike': {
    source: 'extensions: File routes, row 4',
    breaks: 'A deletion deletes the file that the path names, and no other whose name only begins like it.',
    kind: 'place',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const removed = await right(areas, place);
      const directory = { area: place.area, segments: place.segments.slice(0, -1) };
      const others = removed ? ((await areas.fileStore.list(directory)) ?? []) : [];
      for (const { name, kind } of others)
        if (kind === 'file' && name.startsWith(place.segments.at(-1) ?? name))
          await areas.fileStore.remove({ area: place.area, segments: [...directory.segments, name] });
      return removed;
    }),
    shows: async ({ edda }) => {
      await edda.upload('box/a.txt', 'one');
      await edda.upload('box/a.txt.old', 'two');
      await edda.delete(`${spaceFiles}/box/a.txt`);
      return (await edda.get(`${spaceFiles}/box/a.txt.old`)).status >= 400;
    },
  },
  'files.refused-upload-takes-the-place': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload fails where a file is; one that was refused for its checksum has left none.',
    kind: 'moment',
    variant: together(
      replaces('files', 'storeStream', async (right, areas, place, ...rest) => {
        try {
          await right(areas, place, ...rest);
        } catch (error) {
          if (error instanceof Refusal && error.status === 400) spoiltIn(areas.fileStore).add(JSON.stringify(place));
          throw error;
        }
      }),
      replaces('files', 'assertPlaceFree', async (right, areas, place) => {
        if (spoiltIn(areas.fileStore).has(JSON.stringify(place))) throw areas.fileAreas.placeTaken(place);
        await right(areas, place);
      }),
    ),
    shows: async ({ edda }) => {
      const headers = { checksum: md5('another'), 'content-type': 'text/plain' };
      await edda.post(`${spaceFiles}/stream/again.txt`, 'content', headers);
      return (await edda.upload('again.txt', 'content')).status >= 400;
    },
  },
  'files.nothing-has-any-checksum': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is held against its checksum, also where it has no bytes.',
    kind: 'value',
    variant: replaces('fileAreas', 'assertChecksum', (right, areas, expected, found) => {
      if (found !== noContent) right(areas, expected, found);
    }),
    shows: async ({ edda }) => {
      const headers = { checksum: md5('something'), 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/empty.txt`, '', headers)).status < 400;
    },
  },
  'files.query-token-opens-no-user-area': {
    source: 'extensions: File routes, row 3; Authentication 1',
    breaks: 'A download takes its token from the query in every area, that of the user included.',
    kind: 'role',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) =>
      call.url.includes('/user/fs/') ? undefined : right(areas, call),
    ),
    shows: async ({ edda, nobody }) => {
      await edda.upload('mine.txt', 'mine', userFiles('main'));
      return (await nobody.get(`${userFiles('main')}/mine.txt?token=${token}`)).text !== 'mine';
    },
  },
  'files.user-area-spans-the-spaces': {
    source: 'extensions: File areas',
    breaks: 'The area of a user in one space is another one than that of the same user in another space.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const area = right(areas, call, user, kind);
      const [spaceId = ''] = areas.configuration.spaces.keys();
      return area.kind === 'user' ? { ...area, spaceId } : area;
    }),
    shows: async ({ edda }) => {
      await edda.upload('only-here.txt', 'mine', userFiles('main'));
      return (await edda.get(`${userFiles('depot')}/only-here.txt`)).status === 200;
    },
  },
  'chunks.basic-sends-none': {
    source: 'extensions: Authentication 1',
    breaks: 'User name and personal access token open every file route, that of the chunks too.',
    kind: 'role',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      const isForm = call.headers['content-type']?.startsWith('multipart/form-data') === true;
      if (isForm && areas.auth.credentialsOf(call.headers)?.scheme === 'basic')
        throw areas.tokens.unusableToken('Expected a bearer token.');
      return right(areas, call);
    }),
    shows: async ({ nobody }) => {
      const piece = { path: 'basic.txt', content: 'abcd', number: 1, total: 1, chunkSize: 4, size: 4 };
      const authorization = `Basic ${Buffer.from(`edda:${token}`).toString('base64')}`;
      return (await sendChunk(nobody, piece, { authorization })).status >= 400;
    },
  },
  'chunks.zeros-at-the-end-are-lost': {
    source: 'extensions: File routes, row 2',
    breaks: 'A file that came in chunks is read as it was, also where its last chunk is all zeros.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const pieces = right(areas, chunk);
      const isBlank = pieces.every((piece) => piece.every((byte) => byte === 0));
      return isBlank && chunk.number > 1 && chunk.number === chunk.totalChunks ? [] : pieces;
    }),
    shows: async ({ edda }) => {
      const piece = { path: 'zeros.bin', total: 2, chunkSize: 4, size: 7 };
      await sendChunk(edda, { ...piece, number: 1, content: 'abcd' });
      await sendChunk(edda, { ...piece, number: 2, content: '\0\0\0' });
      return (await edda.get(`${spaceFiles}/zeros.bin`)).text !== 'abcd\0\0\0';
    },
  },
  'bulk.names-with-a-dot-are-passed-over': {
    source: 'extensions: Bulk upload request body, sourceDirectory',
    breaks: 'A bulk upload takes all files below its source, also those whose names begin with a dot.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) =>
      entry.path.at(-1)?.startsWith('.') ? { path: entry.path.join('/'), status: 'skipped' } : right(areas, run, entry),
    ),
    shows: async ({ directory, bulk, edda }) => {
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, 'inner'));
      await writeFile(join(sourceDirectory, 'inner', '.settings'), 'hidden');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/inner/.settings`)).text !== 'hidden';
    },
  },
  'bulk.no-log-after-an-error': {
    source: 'extensions: Bulk upload request body, writeLog',
    breaks: 'The log is written when the upload has finished, also where a file could not be taken.',
    kind: 'moment',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      if (report.errors.length === 0) await right(areas, source, report);
    }),
    shows: async ({ directory, edda, bulk }) => {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'taken.txt'), 'new');
      await edda.upload('taken.txt', 'old');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: true });
      return !(await readdir(sourceDirectory)).some((name) => /^FileUpload_.*\.log$/.test(name));
    },
  },
};
