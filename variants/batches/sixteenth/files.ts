import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { md5, spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'files.one-area-for-all-spaces': {
    source: 'extensions: File areas',
    breaks: 'Each space has a file area of its own.',
    kind: 'place',
    variant: replaces('fileAreas', 'spaceArea', (right, areas, call) => {
      right(areas, call);
      return { kind: 'space', spaceId: areas.configuration.spaces.keys().next().value ?? '' };
    }),
    async shows({ edda }) {
      await edda.upload('here.txt', 'of main');
      return (await edda.get('/api/space/depot/fs/file/here.txt')).status === 200;
    },
  },

  'files.delete-by-nobody': {
    source: 'core: Authentication 6',
    breaks: 'A missing token gives 401, on whichever route and method.',
    kind: 'place',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      if (call.method === 'DELETE' && call.headers['authorization'] === undefined)
        throw new Refusal(403, 'Nobody may delete files.');
      return right(areas, call);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('there.txt', 'there');
      return (await nobody.delete(`${spaceFiles}/there.txt`)).status !== 401;
    },
  },

  'files.type-of-a-vendor': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The type of a file that comes in chunks is any MIME type.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      if (!/^\w+\/[\w-]+$/.test(chunk.type)) throw new Refusal(400, 'Expected a MIME type.');
      return right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      const texts: Readonly<Record<string, string | number>> = {
        resumableTotalSize: 4,
        resumableChunkNumber: 1,
        resumableChunkSize: 4,
        resumableCurrentChunkSize: 4,
        resumableTotalChunks: 1,
        resumableType: 'application/vnd.oasis.opendocument.text',
        resumableFilename: 'letter.odt',
        resumableRelativePath: 'letter.odt',
      };
      const parts = Object.entries(texts).map(([name, text]) => partOf(`name="${name}"`, String(text)));
      const body = [...parts, partOf('name="file"; filename="letter.odt"', 'text'), '--edge--\r\n'].join('');
      const headers = { checksum: md5('text'), 'content-type': 'multipart/form-data; boundary=edge' };
      return (await edda.post(spaceFiles, body, headers)).status >= 400;
    },
  },

  'bulk.hidden-files': {
    source: 'extensions: Bulk upload request body',
    breaks: 'All files of the source directory are uploaded, those whose name begins with a dot as well.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const isHidden = entry.path.at(-1)?.startsWith('.') === true;
      return isHidden ? { path: entry.path.join('/'), status: 'skipped' } : right(areas, run, entry);
    }),
    async shows({ directory, bulk, edda }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, '.settings'), 'hidden');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/.settings`)).status !== 200;
    },
  },

  'bulk.signature-of-the-space': {
    source: 'extensions: Authentication 2',
    breaks: 'What is signed is the whole path of the request, the participant included.',
    kind: 'place',
    variant: replaces('signing', 'expectedSignature', (right, areas, apiKey, path) =>
      right(areas, apiKey, path.startsWith('/admin/') ? path.split('/').slice(0, 4).join('/') : path),
    ),
    async shows({ directory, bulk }) {
      const body = { sourceDirectory: await directory(), writeLog: false };
      return (await bulk('/admin/fileupload/main/owner', body)).status >= 400;
    },
  },
};

function partOf(about: string, content: string): string {
  return `--edge\r\nContent-Disposition: form-data; ${about}\r\n\r\n${content}\r\n`;
}
