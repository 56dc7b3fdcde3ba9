import { uploadComplete } from '../../../reference-server/areas/file-areas.ts';
import type { User } from '../../../reference-server/configuration.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { md5, spaceFiles, type Client, type Received } from '../service.ts';

const ownFiles = '/api/space/main/user/fs/file';

export const filesMistakes: Batch = {
  'files.own-by-token-and-by-name': {
    source: 'extensions: File areas',
    breaks: 'The user area is that of the identity, by whatever token it is shown.',
    kind: 'role',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const area = right(areas, call, user, kind);
      const isToken = (call.headers['authorization'] ?? '').split('.').length === 3;
      return area.kind === 'user' && isToken ? { ...area, userName: user.displayName } : area;
    }),
    async shows(service) {
      await service.edda.upload('f.txt', 'content', ownFiles);
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      return (await service.nobody.get(`${ownFiles}/f.txt`, { authorization })).status !== 200;
    },
  },

  'files.a-path-once-opened': {
    source: 'extensions: File routes',
    breaks: 'A download needs a token each time, also of a file that was just read with one in the query.',
    kind: 'copy',
    variant: breaks('fileAreas', 'authenticateFile', (right) => {
      const readers = new Map<string, User>();
      return async (areas, call) => {
        const [path = ''] = call.url.split('?', 1);
        const reader = call.method === 'GET' ? readers.get(path) : undefined;
        if (reader !== undefined && areas.fileAreas.fileCredentialsOf(call) === undefined) return reader;
        const user = await right(areas, call);
        if (call.method === 'GET' && call.query.has('token')) readers.set(path, user);
        return user;
      };
    }),
    async shows(service) {
      await service.edda.upload('f.txt', 'content');
      const path = `${spaceFiles}/f.txt`;
      await service.nobody.get(`${path}?token=${await tokenOf(service, 'edda')}`);
      return (await service.nobody.get(path)).status === 200;
    },
  },

  'files.an-old-token-for-chunks': {
    source: 'extensions: Authentication 1',
    breaks: 'A chunk needs an access token that is valid when it comes.',
    kind: 'moment',
    variant: replaces('fileAreas', 'authenticateFile', (right, areas, call) => {
      const isForm = call.headers['content-type']?.startsWith('multipart/form-data') ?? false;
      return right(isForm ? within(areas, { tokens: { checkExpiry: () => undefined } }) : areas, call);
    }),
    async shows(service) {
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      await service.pass(7200);
      return (await sendForm(service.nobody, textsOf('f.txt', 'content'), 'content', { authorization })).status < 300;
    },
  },

  'chunks.what-follows-the-file': {
    source: 'extensions: File routes',
    breaks: 'The form has a part for the file and text parts, which may come behind it.',
    kind: 'combination',
    variant: replaces('chunks', 'formPartsOf', async (right, areas, call) => {
      const parts = await right(areas, call);
      const last = parts.findIndex(({ name }) => name === 'file');
      return last < 0 ? parts : parts.slice(0, last + 1);
    }),
    async shows({ edda }) {
      const { resumableRelativePath, ...texts } = textsOf('f.txt', 'content');
      return (await sendForm(edda, texts, 'content', {}, { resumableRelativePath })).status >= 300;
    },
  },

  'chunks.nothing-left-for-the-last': {
    source: 'extensions: File routes',
    breaks: 'The size of the whole file may be a multiple of that of a chunk.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      right(areas, chunk, currentSize);
      const { number, totalChunks, totalSize, chunkSize } = chunk;
      if (totalChunks > 1 && number === totalChunks && totalSize % chunkSize === 0)
        throw new Refusal(400, 'Expected 0 bytes in the last chunk.');
    }),
    async shows({ edda }) {
      await edda.sendChunk('f.txt', ['abcd', 'efgh'], 1);
      return (await edda.sendChunk('f.txt', ['abcd', 'efgh'], 2)).status >= 300;
    },
  },

  'chunks.number-of-an-upload-before': {
    source: 'extensions: File routes',
    breaks: 'The number of chunks is that of this upload, also after one to the path that was broken off and deleted.',
    kind: 'copy',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const numbers = new Map<string, number>();
      return async (areas, place, chunk) => {
        const key = JSON.stringify(place);
        const known = numbers.get(key) ?? chunk.totalChunks;
        if (known !== chunk.totalChunks) throw new Refusal(409, `Expected ${known} chunks.`);
        const progress = await right(areas, place, chunk);
        if (uploadComplete(progress)) numbers.delete(key);
        else numbers.set(key, known);
        return progress;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('f.txt', ['ab', 'cd', 'ef'], 1);
      await edda.delete(`${spaceFiles}/f.txt`);
      await edda.sendChunks('f.txt', ['abc', 'def']);
      return (await edda.get(`${spaceFiles}/f.txt`)).text !== 'abcdef';
    },
  },
};

/** Text parts of a file of one chunk. */
function textsOf(path: string, content: string) {
  return {
    resumableTotalSize: String(content.length),
    resumableChunkNumber: '1',
    resumableChunkSize: String(content.length),
    resumableCurrentChunkSize: String(content.length),
    resumableTotalChunks: '1',
    resumableType: 'text/plain',
    resumableFilename: path,
    resumableRelativePath: path,
  };
}

/** A form with text parts before and behind the file. */
async function sendForm(
  client: Client,
  before: Readonly<Record<string, string>>,
  content: string,
  headers: Readonly<Record<string, string>>,
  behind: Readonly<Record<string, string>> = {},
): Promise<Received> {
  const form = new FormData();
  for (const [name, text] of Object.entries(before)) form.set(name, text);
  form.set('file', new Blob([content]), 'f.txt');
  for (const [name, text] of Object.entries(behind)) form.set(name, text);
  const request = new Response(form);
  const type = request.headers.get('content-type') ?? '';
  return client.post(spaceFiles, await request.bytes(), { checksum: md5(content), 'content-type': type, ...headers });
}
