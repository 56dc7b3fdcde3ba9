import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { administrationKey, many, md5, signatureOver, spaceFiles } from '../service.ts';

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
  'stream.place-spoilt-by-a-wrong-checksum': {
    source: 'extensions: File routes, row 1 and stream upload paragraph',
    breaks: 'An upload that was refused for its checksum left no file: the next one does not find it there.',
    kind: 'moment',
    variant: breaks('files', 'uploadStream', (right) => {
      const spoilt = new Set<string>();
      return async (areas, call) => {
        const key = `${JSON.stringify(call.admitted)} ${call.url}`;
        if (spoilt.has(key)) throw new Refusal(409, 'There is a file already.');
        try {
          return await right(areas, call);
        } catch (error) {
          if (error instanceof Refusal && error.message.startsWith('Expected content')) spoilt.add(key);
          throw error;
        }
      };
    }),
    async shows({ edda }) {
      const wrong = { checksum: md5('other'), 'content-type': 'text/plain' };
      await edda.post(`${spaceFiles}/stream/again.txt`, 'content', wrong);
      return (await edda.upload('again.txt', 'content')).status !== 201;
    },
  },
  'download.bytes-of-a-former-file': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download is the content of the file that is there, though one of the same length stood there before.',
    kind: 'copy',
    variant: breaks('files', 'downloadFile', (right) => {
      const kept = new Map<string, Buffer>();
      return async (areas, call) => {
        const place = areas.files.filePlaceOf(call, call.admitted);
        const info = await areas.fileStore.describe(place);
        const isPart = call.headers['range'] !== undefined || call.headers['if-none-match'] !== undefined;
        if (info?.kind !== 'file' || isPart) return right(areas, call);
        const key = JSON.stringify([place, info.size]);
        const known = kept.get(key);
        if (known !== undefined)
          return { status: 200, headers: { 'Content-Type': 'application/octet-stream' }, raw: known };
        const content = await areas.fileStore.read(place);
        kept.set(key, Buffer.concat((await content?.toArray()) ?? []));
        return right(areas, call);
      };
    }),
    async shows({ edda }) {
      const path = `${spaceFiles}/same.txt`;
      await edda.upload('same.txt', 'one');
      await edda.get(path);
      await edda.delete(path);
      await edda.upload('same.txt', 'two');
      return (await edda.get(path)).text === 'one';
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
  'delete.names-that-begin-alike': {
    source: 'extensions: File routes, row 4',
    breaks: 'DELETE deletes the file that is named, and none whose name goes on.',
    kind: 'value',
    variant: replaces('files', 'removeFile', async (right, areas, call) => {
      const answer = await right(areas, call);
      const { area, segments } = areas.files.filePlaceOf(call, call.admitted);
      const directory = segments.slice(0, -1);
      const name = segments.at(-1) ?? '';
      for (const entry of (await areas.fileStore.list({ area, segments: directory })) ?? [])
        if (entry.kind === 'file' && entry.name.startsWith(name))
          await areas.files.deleteFile({ area, segments: [...directory, entry.name] });
      return answer;
    }),
    async shows({ edda }) {
      await edda.upload('plan.txt', 'one');
      await edda.upload('plan.txt.bak', 'two');
      await edda.delete(`${spaceFiles}/plan.txt`);
      return (await edda.get(`${spaceFiles}/plan.txt.bak`)).status === 404;
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
  'chunks.numbers-in-order-of-text': {
    source: 'extensions: File routes, chunk table, resumableChunkNumber',
    breaks: 'Chunks stand in the order of their numbers, also when there are ten of them or more.',
    kind: 'place',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, chunkSize, totalChunks }) => {
      const numbers = Array.from({ length: totalChunks }, (_, index) => String(index + 1)).toSorted();
      return numbers.indexOf(String(number)) * chunkSize;
    }),
    async shows({ edda }) {
      const pieces = many(12, (number) => String(number).padStart(2));
      await edda.sendChunks('twelve.txt', pieces);
      return (await edda.get(`${spaceFiles}/twelve.txt`)).text !== pieces.join('');
    },
  },
  'bulk.skipped-and-deleted': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'Files that were uploaded are deleted from the source, not one that was left out since it exists.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (_right, _areas, { deleteFilesAfterUpload }, { status }) => deleteFilesAfterUpload && status !== 'failed',
    ),
    async shows({ edda, directory, bulk }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'there.txt'), 'the only copy');
      await edda.upload('there.txt', 'another');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return !(await isThere(join(sourceDirectory, 'there.txt')));
    },
  },
  'bulk.signature-of-the-space': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature is one over the path of the request: that of the space opens no participant.',
    kind: 'role',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const [, outer] = /^(\/admin\/fileupload\/[^/?]+)\/[^/?]+$/.exec(call.url) ?? [];
      try {
        await right(areas, call);
      } catch (error) {
        if (outer === undefined) throw error;
        await right(areas, { ...call, url: outer });
      }
    }),
    async shows({ nobody, directory }) {
      const sourceDirectory = await directory();
      const signature = signatureOver('/admin/fileupload/main', administrationKey);
      const body = { sourceDirectory, writeLog: false };
      const authorization = `Bearer ${signature}`;
      return (await nobody.post('/admin/fileupload/main/owner', body, { authorization })).status === 200;
    },
  },
};
