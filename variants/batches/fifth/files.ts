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

export const files: Batch = {
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
};
