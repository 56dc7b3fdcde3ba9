import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { many, spaceFiles } from '../service.ts';

/** File areas, uploads in chunks and in bulk. */
export const files: Batch = {
  'stream.empty-file-gives-way': {
    source: 'extensions: File routes, row 1',
    breaks: 'A stream upload fails when the file exists, an empty one included.',
    kind: 'value',
    variant: replaces('files', 'assertPlaceFree', async (right, areas, place) => {
      const info = await areas.fileStore.describe(place);
      if (info?.kind !== 'file' || info.size > 0) return right(areas, place);
      await areas.files.deleteFile(place);
    }),
    async shows({ edda }) {
      await edda.upload('empty.txt', '');
      return (await edda.upload('empty.txt', 'full')).status === 201;
    },
  },
  'stream.checksum-of-a-participant': {
    source: 'extensions: File routes, row 1',
    breaks: 'The checksum is mandatory for a stream upload to each area, that of a participant included.',
    kind: 'place',
    variant: replaces('fileAreas', 'expectedChecksum', (right, areas, call) => {
      const isParticipants = /\/participant\/[^/]+\/fs\/file\/stream\//.test(call.url);
      return isParticipants && call.headers['checksum'] === undefined ? undefined : right(areas, call);
    }),
    async shows({ edda }) {
      const path = '/api/space/main/participant/owner/fs/file/stream/unchecked.txt';
      return (await edda.post(path, 'content', { 'content-type': 'text/plain' })).status === 201;
    },
  },
  'download.any-token-in-the-query': {
    source: 'core: Authentication 6; extensions: Authentication 1',
    breaks: 'A valid identity without access gets no file, by a token in the query neither.',
    kind: 'role',
    variant: replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
      const isLink = call.headers['authorization'] === undefined && call.query.has('token');
      return isLink || right(areas, user, area, call);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('closed.txt', 'content');
      return (await nobody.get(`${spaceFiles}/closed.txt?token=svcpat-otto-4c6d8e0f1a`)).status === 200;
    },
  },
  'chunks.end-of-the-former': {
    source: 'extensions: File routes, row 2 and paragraph after the chunk table',
    breaks: 'After a partial file was deleted, a shorter one uploaded there in chunks is what was sent.',
    kind: 'combination',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const sent = new Map<string, Buffer>();
      return async (areas, place, chunk) => {
        const key = JSON.stringify(place);
        const before = sent.get(key) ?? Buffer.alloc(0);
        const from = (chunk.number - 1) * chunk.chunkSize;
        const after = Buffer.alloc(Math.max(before.length, from + chunk.size));
        before.copy(after);
        Buffer.concat(chunk.pieces).copy(after, from);
        sent.set(key, after);
        if (chunk.number < chunk.totalChunks) return right(areas, place, chunk);
        sent.delete(key);
        return right(areas, place, { ...chunk, pieces: [...chunk.pieces, after.subarray(chunk.totalSize)] });
      };
    }),
    async shows({ edda }) {
      const path = 'began/anew.txt';
      for (const number of [1, 2])
        await edda.sendChunk(
          path,
          many(3, () => 'a'.repeat(10)),
          number,
        );
      await edda.delete(`${spaceFiles}/${path}`);
      await edda.sendChunks(path, ['b'.repeat(10), 'b'.repeat(5)]);
      return (await edda.get(`${spaceFiles}/${path}`)).text !== 'b'.repeat(15);
    },
  },
};
