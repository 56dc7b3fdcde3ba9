import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { missingToken } from '../../../reference-server/areas/tokens.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FileArea } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { many, spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'files.basic-for-chunks': {
    source: 'extensions: Authentication 1',
    breaks: 'Every file route takes user name and personal access token, that of the chunks too.',
    kind: 'place',
    variant: replaces('fileAreas', 'authenticateFile', (right, areas, call) => {
      const isForm = call.headers['content-type']?.startsWith('multipart/') ?? false;
      if (isForm && areas.auth.credentialsOf(call.headers)?.scheme === 'basic') throw missingToken();
      return right(areas, call);
    }),
    async shows({ nobody }) {
      const form = new FormData();
      form.set('file', new Blob(['x']));
      const request = new Response(form);
      const headers = {
        authorization: `Basic ${Buffer.from('edda:svcpat-edda-7d1c0b9e5a').toString('base64')}`,
        checksum: '9dd4e461268c8034f5c8564e155c67a6',
        'content-type': request.headers.get('content-type') ?? '',
      };
      return (await nobody.post(spaceFiles, await request.bytes(), headers)).status === 401;
    },
  },

  'files.of-two-participants': {
    source: 'extensions: File areas',
    breaks: 'Each participant has an area of its own.',
    kind: 'place',
    variant: together(
      replaces('files', 'storeStream', (right, areas, place, ...args) =>
        right(areas, { ...place, area: shared(place.area) }, ...args),
      ),
      replaces('files', 'filePlaceOf', (right, areas, call, area) => right(areas, call, shared(area))),
      replaces('chunks', 'storeChunk', (right, areas, place, chunk) =>
        right(areas, { ...place, area: shared(place.area) }, chunk),
      ),
      replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, ...args) => right(areas, shared(area), ...args)),
    ),
    async shows({ emil }) {
      const [owner, supplier] = ['owner', 'supplier'].map((id) => `/api/space/main/participant/${id}/fs/file`);
      await emil.upload('own.txt', 'of the owner', owner);
      return (await emil.get(`${supplier}/own.txt`)).status === 200;
    },
  },

  'files.deleted-twice': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file that does not exist fails, also when it did exist once.',
    kind: 'moment',
    variant: breaks('files', 'deleteFile', (right) => {
      const deleted = new Set<string>();
      return async (areas, place) => {
        const removed = await right(areas, place);
        const key = JSON.stringify(place);
        if (removed) deleted.add(key);
        return removed || deleted.has(key);
      };
    }),
    async shows({ edda }) {
      await edda.upload('once.txt', 'once');
      const statuses = [];
      for (let left = 2; left > 0; left -= 1) statuses.push((await edda.delete(`${spaceFiles}/once.txt`)).status);
      return (statuses[1] ?? 400) < 400;
    },
  },

  'chunks.rounded-to-the-nearest': {
    source: 'extensions: File routes, chunk table',
    breaks: 'There are as many chunks as the size divided by that of a chunk makes, rounded up.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, ...args) => {
      const { totalSize, chunkSize, totalChunks } = chunk;
      if (totalChunks > Math.max(1, Math.round(totalSize / chunkSize))) throw new Refusal(400, 'Too many chunks.');
      right(areas, chunk, ...args);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('rounded.txt', ['aaaa', 'bbbb', 'c'], 1)).status >= 400;
    },
  },

  'chunks.sorted-as-text': {
    source: 'extensions: File routes, chunk table',
    breaks: 'Chunks stand in the order of their numbers, the tenth behind the ninth.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, chunk) => {
      const { number, totalChunks, totalSize, chunkSize } = chunk;
      const order = many(totalChunks, String).toSorted();
      const place = order.indexOf(String(number));
      const missing = totalChunks * chunkSize - totalSize;
      return place * chunkSize - (place > order.indexOf(String(totalChunks)) ? missing : 0);
    }),
    async shows({ edda }) {
      const pieces = many(11, (number) => `${number}...`.slice(0, 3));
      await edda.sendChunks('sorted.txt', pieces);
      return (await edda.get(`${spaceFiles}/sorted.txt`)).text !== pieces.join('');
    },
  },

  'chunks.into-the-root': {
    source: 'extensions: File routes, text below the table',
    breaks: 'A file may go into the root of its area, where there is no subdirectory to name.',
    kind: 'place',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      if (!chunk.relativePath.includes('/')) throw new Refusal(400, 'The path has no directory.');
      return right(areas, chunk, area);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('root.txt', ['root'], 1)).status >= 400;
    },
  },

  'bulk.left-in-directories': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Uploaded files are deleted from the source, those in its directories as well.',
    kind: 'place',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => right(areas, request, file) && !file.path.includes('/'),
    ),
    async shows({ directory, bulk }) {
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, 'inner'));
      await writeFile(join(sourceDirectory, 'inner', 'file.txt'), 'inside');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return (await readdir(join(sourceDirectory, 'inner')).catch(() => [])).length > 0;
    },
  },
};

/** The area of the first participant for that of any. */
function shared(area: FileArea): FileArea {
  return area.kind === 'participant' ? { ...area, participantId: 'owner' } : area;
}
