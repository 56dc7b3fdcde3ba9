import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { md5, spaceFiles, type Client, type Received } from '../service.ts';

/** When files were removed, by the store of their server and their place. */
const removals = new WeakMap<object, Map<string, number>>();

const participantFiles = '/api/space/main/participant/owner/fs/file';

export const filesMistakes: Batch = {
  'bulk.target-of-the-run-before': {
    source: 'extensions: Bulk upload request body',
    breaks: 'A bulk upload without target directory goes to the root, whatever the one before it named.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      let kept: string | undefined;
      return (areas, body) => {
        const settings = right(areas, body);
        const isNamed = typeof body === 'object' && body !== null && 'targetDirectory' in body;
        const targetDirectory = isNamed ? settings.targetDirectory : (kept ?? settings.targetDirectory);
        kept = targetDirectory;
        return { ...settings, targetDirectory };
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'one.txt'), 'one');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, targetDirectory: 'deep' });
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/one.txt`)).status !== 200;
    },
  },

  'bulk.personal-token-of-an-administrator': {
    source: 'extensions: Authentication 2',
    breaks:
      'Bulk upload needs the administration key; the personal access token of a Collection Administrator is none.',
    kind: 'role',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      if (credentials?.scheme !== 'basic') return right(areas, call);
      const user = await areas.auth.userOfCredentials(credentials);
      if (user?.collectionAdministrator !== true) return right(areas, call);
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const authorization = basic('cora', 'svcpat-cora-6f8b0d2e4a');
      const body = { sourceDirectory, writeLog: false };
      return (await service.nobody.post('/admin/fileupload/main', body, { authorization })).status < 300;
    },
  },

  'files.gone-for-a-second': {
    source: 'extensions: File routes',
    breaks: 'A file that was deleted and uploaded again can be downloaded at once.',
    kind: 'moment',
    variant: together(
      replaces('files', 'removeFile', async (right, areas, call) => {
        const answer = await right(areas, call);
        const known = removals.get(areas.store) ?? new Map<string, number>();
        removals.set(areas.store, known.set(call.url.split('?', 1)[0] ?? '', Date.now()));
        return answer;
      }),
      replaces('files', 'downloadFile', (right, areas, call) => {
        const removedAt = removals.get(areas.store)?.get(call.url.split('?', 1)[0] ?? '') ?? 0;
        if (Date.now() - removedAt < 1000) throw new Refusal(404, 'There is no such file.');
        return right(areas, call);
      }),
    ),
    async shows({ edda }) {
      await edda.upload('note.txt', 'one');
      await edda.delete(`${spaceFiles}/note.txt`);
      await edda.upload('note.txt', 'two');
      return (await edda.get(`${spaceFiles}/note.txt`)).text !== 'two';
    },
  },

  'chunks.parts-in-one-order': {
    source: 'extensions: File routes',
    breaks: 'The form has its parts by name, the one with the file may be the first.',
    kind: 'moment',
    variant: replaces('chunks', 'formPartsOf', async (right, areas, call) => {
      const parts = await right(areas, call);
      if (parts[0]?.name === 'file') throw new Refusal(400, 'Expected the texts before the file.');
      return parts;
    }),
    async shows({ edda }) {
      return (await sendForm(edda, 'first.txt', 'one', { isFileFirst: true })).status >= 400;
    },
  },

  'chunks.padded-for-participants': {
    source: 'extensions: File routes',
    breaks: 'A file in chunks is as long as its total size, in the area of a participant as well.',
    kind: 'place',
    variant: replaces('chunks', 'storeChunk', (right, areas, place, chunk) => {
      const missing = chunk.chunkSize - chunk.size;
      if (place.area.kind !== 'participant' || chunk.number === 1 || missing <= 0) return right(areas, place, chunk);
      return right(areas, place, { ...chunk, pieces: [...chunk.pieces, Buffer.alloc(missing)] });
    }),
    async shows({ edda }) {
      await edda.sendChunks('padded.txt', ['aaaa', 'bb'], participantFiles);
      return (await edda.get(`${participantFiles}/padded.txt`)).text !== 'aaaabb';
    },
  },

  'chunks.checksums-of-the-upload-before': {
    source: 'extensions: File routes',
    breaks: 'The checksum is that of the chunk it comes with, not that of the same chunk of a file which is gone.',
    kind: 'copy',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const checksums = new Map<string, string>();
      return (areas, place, chunk) => {
        const key = JSON.stringify([place.area, place.segments, chunk.number]);
        const known = checksums.get(key) ?? chunk.md5;
        checksums.set(key, known);
        if (known !== chunk.md5) throw new Refusal(400, 'Expected another checksum.');
        return right(areas, place, chunk);
      };
    }),
    async shows({ edda }) {
      await edda.sendChunks('again.txt', ['aaaa', 'bb']);
      await edda.delete(`${spaceFiles}/again.txt`);
      await edda.sendChunks('again.txt', ['cccc', 'dd']);
      return (await edda.get(`${spaceFiles}/again.txt`)).text !== 'ccccdd';
    },
  },

  'files.no-basic-with-chunks': {
    source: 'extensions: Authentication 1',
    breaks: 'A chunk for the area of a participant may be sent with Basic authentication.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileCredentialsOf', (right, areas, call) => {
      const credentials = right(areas, call);
      const isChunk = call.method === 'POST' && /\/participant\/[^/]+\/fs\/file$/.test(call.url);
      return isChunk && credentials?.scheme === 'basic' ? undefined : credentials;
    }),
    async shows({ edda }) {
      const authorization = basic('edda', 'svcpat-edda-7d1c0b9e5a');
      return (await sendForm(edda, 'basic.txt', 'one', { authorization, base: participantFiles })).status === 401;
    },
  },
};

interface Form {
  readonly isFileFirst?: boolean;
  readonly authorization?: string;
  readonly base?: string;
}

/** A file in one chunk. */
async function sendForm(
  client: Client,
  name: string,
  content: string,
  { isFileFirst = false, authorization, base = spaceFiles }: Form,
): Promise<Received> {
  const texts: Readonly<Record<string, string>> = {
    resumableTotalSize: String(content.length),
    resumableChunkNumber: '1',
    resumableChunkSize: String(content.length),
    resumableCurrentChunkSize: String(content.length),
    resumableTotalChunks: '1',
    resumableType: 'text/plain',
    resumableFilename: name,
    resumableRelativePath: name,
  };
  const form = new FormData();
  if (isFileFirst) form.append('file', new Blob([content]), name);
  for (const [key, text] of Object.entries(texts)) form.append(key, text);
  if (!isFileFirst) form.append('file', new Blob([content]), name);
  const request = new Response(form);
  return client.post(base, await request.bytes(), {
    checksum: md5(content),
    'content-type': request.headers.get('content-type') ?? '',
    ...(authorization !== undefined && { authorization }),
  });
}

function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}
