import { uploadComplete } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { md5, spaceFiles, type Client, type Received } from '../service.ts';

export const filesMistakes: Batch = {
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
