import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { administrationKey, many, md5, type Service, signatureOver, spaceFiles } from '../service.ts';
import { isThere, tokenOf } from '../proofs.ts';

const pieceBytes = 64 * 1024;

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** A directory of the host with one file in it. */
async function sourceWith(service: Service, path: string, text: string): Promise<string> {
  const directory = await service.directory();
  await mkdir(join(directory, path, '..'), { recursive: true });
  await writeFile(join(directory, path), text);
  return directory;
}

export const files: Batch = {
  'files.user-area-is-one-for-all-spaces': {
    source: 'extensions: File areas',
    breaks: 'The files of a user in one space are not those of the same user in another.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, ...args) => {
      const area = right(areas, ...args);
      return area.kind === 'user' ? { ...area, spaceId: 'main' } : area;
    }),
    async shows({ edda }) {
      await edda.upload('own.txt', 'own', '/api/space/main/user/fs/file');
      return (await edda.get('/api/space/depot/user/fs/file/own.txt')).status === 200;
    },
  },
  'files.deep-path-loses-its-middle': {
    source: 'extensions: File routes, row 1',
    breaks: 'A file is stored below all subdirectories of its path, however many.',
    kind: 'value',
    variant: replaces('files', 'streamPlaceOf', (right, areas, ...args) => {
      const place = right(areas, ...args);
      const { segments } = place;
      return segments.length > 9 ? { ...place, segments: [...segments.slice(0, 8), ...segments.slice(-1)] } : place;
    }),
    async shows({ edda }) {
      const path = [...many(10, (number) => `d${number}`), 'f.txt'].join('/');
      await edda.upload(path, 'deep');
      return (await edda.get(`${spaceFiles}/${path}`)).status !== 200;
    },
  },
  'files.full-pieces-lose-the-last': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download holds every byte, of a file that fills its last piece too.',
    kind: 'value',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const all = await buffer(content);
      const isFull = all.length > 0 && all.length % pieceBytes === 0 && checksum === md5(all);
      if (!isFull) return right(areas, place, call, once(all), checksum);
      return right(areas, place, call, once(all.subarray(0, -pieceBytes)), undefined);
    }),
    async shows({ edda }) {
      await edda.upload('full.txt', 'x'.repeat(pieceBytes));
      return (await edda.get(`${spaceFiles}/full.txt`)).text.length !== pieceBytes;
    },
  },
  'files.empty-upload-is-not-validated': {
    source: 'extensions: File routes, stream upload',
    breaks: 'An empty file is validated against its checksum like all others.',
    kind: 'value',
    variant: replaces(
      'fileAreas',
      'checksumMatches',
      (right, areas, expected, found) => found === md5('') || right(areas, expected, found),
    ),
    async shows({ edda }) {
      const upload = edda.post(`${spaceFiles}/stream/empty.txt`, '', {
        checksum: md5('x'),
        'content-type': 'text/plain',
      });
      return (await upload).status < 400;
    },
  },
  'files.missing-is-remembered-until-streamed': {
    source: 'extensions: File routes, row 3',
    breaks: 'A file that was asked for in vain can be read when it has come in chunks.',
    kind: 'copy',
    variant: breaks('files', 'downloadFile', (right) => {
      const missing = new Set<string>();
      return async (areas, call) => {
        const place = areas.files.filePlaceOf(call, call.admitted);
        const info = missing.has(call.url) ? await areas.fileStore.describe(place) : undefined;
        const record = info?.kind === 'file' ? await areas.fileAreas.fileRecordOf(place, info.stamp) : undefined;
        if (record !== undefined && record.md5 === undefined) throw areas.files.missingFile(place);
        try {
          return await right(areas, call);
        } catch (error) {
          if (error instanceof Refusal && error.status === 404) missing.add(call.url);
          throw error;
        }
      };
    }),
    async shows({ edda }) {
      await edda.get(`${spaceFiles}/late.txt`);
      await edda.sendChunks('late.txt', ['late']);
      return (await edda.get(`${spaceFiles}/late.txt`)).status !== 200;
    },
  },
  'files.expired-token-in-the-query-opens': {
    source: 'extensions: Authentication 1',
    breaks: 'A token that has expired opens nothing, in the query neither.',
    kind: 'role',
    variant: replaces('fileAreas', 'authenticateFile', (right, areas, call) => {
      const isQuery = call.headers['authorization'] === undefined;
      const lenient = within(areas, { tokens: { checkExpiry: () => undefined } });
      return right(isQuery ? lenient : areas, call);
    }),
    async shows(service) {
      await service.edda.upload('old.txt', 'old');
      const token = await tokenOf(service, 'edda');
      await service.pass(4000);
      return (await service.nobody.get(`${spaceFiles}/old.txt?token=${token}`)).status === 200;
    },
  },
  'chunks.go-by-the-name-of-the-file': {
    source: 'extensions: File routes, chunk table',
    breaks: 'Chunks of two files of one name in two directories, sent by turns, come to their own files.',
    kind: 'moment',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const places = new Map<string, FilePlace>();
      return (areas, chunk, area) => {
        const place = right(areas, chunk, area);
        if (chunk.number === 1) places.set(chunk.fileName, place);
        return places.get(chunk.fileName) ?? place;
      };
    }),
    async shows({ edda }) {
      for (const number of [1, 2])
        for (const directory of ['one', 'two'])
          await edda.sendChunk(`${directory}/f.txt`, [`${directory}-`, 'text'], number);
      return (await edda.get(`${spaceFiles}/one/f.txt`)).text !== 'one-text';
    },
  },
  'chunks.stand-in-the-order-of-their-names': {
    source: 'extensions: File routes, chunk table',
    breaks: 'Chunk 10 stands behind chunk 9, not behind chunk 1.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, totalChunks, chunkSize }) => {
      const order = Array.from({ length: totalChunks }, (_, index) => String(index + 1)).toSorted();
      return order.indexOf(String(number)) * chunkSize;
    }),
    async shows({ edda }) {
      const pieces = many(11, (number) => `<${String(number).padStart(2, '0')}>`);
      await edda.sendChunks('order.txt', pieces);
      return (await edda.get(`${spaceFiles}/order.txt`)).text !== pieces.join('');
    },
  },
  'chunks.of-a-participant-go-to-the-space': {
    source: 'extensions: File areas',
    breaks: 'Chunks that are sent to the area of a participant stay there.',
    kind: 'place',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const { kind } = area;
      return right(areas, chunk, kind === 'participant' ? { kind: 'space', spaceId: area.spaceId } : area);
    }),
    async shows({ edda }) {
      const base = '/api/space/main/participant/owner/fs/file';
      await edda.sendChunks('p.txt', ['text'], base);
      return (await edda.get(`${base}/p.txt`)).status !== 200;
    },
  },
  'bulk.only-the-root-is-deleted-from': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Uploaded files are deleted from all directories of the source.',
    kind: 'place',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => right(areas, request, file) && !file.path.includes('/'),
    ),
    async shows(service) {
      const sourceDirectory = await sourceWith(service, 'inner/a.txt', 'a');
      const body = { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true };
      await service.bulk('/admin/fileupload/main', body);
      return isThere(join(sourceDirectory, 'inner/a.txt'));
    },
  },
  'bulk.replaced-file-keeps-its-tail': {
    source: 'extensions: Bulk upload request body',
    breaks: 'A file that is replaced holds the new content and nothing else, though it was longer.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const place = areas.bulkUpload.bulkPlaceOf(run.area, run.target, entry.path);
      const bytesOf = async (): Promise<Buffer> => {
        const stream = await areas.fileStore.read(place);
        return stream === undefined ? Buffer.alloc(0) : buffer(stream);
      };
      const before = await bytesOf();
      const result = await right(areas, run, entry);
      if (result.status !== 'replaced') return result;
      const now = await bytesOf();
      const both = Buffer.concat([now, before.subarray(now.length)]);
      await areas.fileStore.write(place, once(both), { replace: true });
      return result;
    }),
    async shows(service) {
      const { edda } = service;
      await edda.upload('r.txt', 'a longer text');
      const sourceDirectory = await sourceWith(service, 'r.txt', 'short');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await edda.get(`${spaceFiles}/r.txt`)).text !== 'short';
    },
  },
  'bulk.signature-of-the-path-above-opens': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature is made over the whole path of the request, with the participant at its end.',
    kind: 'role',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const above = call.url.slice(0, call.url.lastIndexOf('/'));
      return right(areas, call).catch(() => right(areas, { ...call, url: above }));
    }),
    async shows(service) {
      const sourceDirectory = await sourceWith(service, 's.txt', 's');
      const signature = signatureOver('/admin/fileupload/main', administrationKey);
      const answer = await service.nobody.post(
        '/admin/fileupload/main/owner',
        { sourceDirectory, writeLog: false },
        { authorization: `Bearer ${signature}` },
      );
      return answer.status < 400;
    },
  },
};
