import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unknownType } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { many, spaceFiles } from '../service.ts';

/** Files: uploaded one by one or many at once, read, removed. */
export const filesMistakes: Batch = {
  'files.checksum-of-the-text': {
    source: 'extensions: File routes, paragraph on stream upload',
    breaks: 'The checksum is the hash of the file as it is, also where its bytes are no text.',
    kind: 'value',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of content) pieces.push(Buffer.from(piece));
      const bytes = Buffer.concat(pieces);
      const text = bytes.toString('utf8');
      areas.fileAreas.assertChecksum(checksum, createHash('md5').update(text).digest('hex'));
      return right(areas, place, call, once(bytes), checksum);
    }),
    async shows({ edda }) {
      return (await edda.upload('a.bin', new Uint8Array([0xff, 0xfe, 0x80, 0x00]))).status >= 400;
    },
  },

  'bulk.structure-of-two-levels': {
    source: 'extensions: Bulk upload request body, row targetDirectory',
    breaks: 'The structure of the source ends up in the target, however deep it is.',
    kind: 'place',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, path.slice(-2)),
    ),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await mkdir(join(sourceDirectory, 'a', 'b'), { recursive: true });
      await writeFile(join(sourceDirectory, 'a', 'b', 'c.txt'), 'c');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/b/c.txt`)).status === 200;
    },
  },

  'files.participants-in-one-area': {
    source: 'extensions: File areas, row Participant',
    breaks: 'A participant has an area of its own, also where it is not the first one of its space.',
    kind: 'place',
    variant: replaces('fileAreas', 'participantArea', (right, areas, call) => {
      const [participantId = ''] = areas.auth.spaceOf(call).participants.keys();
      return right(areas, { ...call, params: { ...call.params, participantId } });
    }),
    async shows({ emil }) {
      const baseOf = (participant: string) => `/api/space/main/participant/${participant}/fs/file`;
      await emil.upload('a.txt', 'a', baseOf('supplier'));
      return (await emil.get(`${baseOf('owner')}/a.txt`)).status === 200;
    },
  },

  'chunks.one-more-for-a-full-last-one': {
    source: 'extensions: File routes, chunk table, row resumableTotalChunks',
    breaks: 'The number of chunks is rounded up, so that there is none more where the last one is full.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, size) => {
      const needed = Math.floor(chunk.totalSize / chunk.chunkSize) + 1;
      if (chunk.totalChunks < needed) throw new Refusal(400, `Expected ${needed} as part resumableTotalChunks.`);
      right(areas, chunk, size);
    }),
    async shows({ edda }) {
      await edda.sendChunks('a.txt', ['abcd', 'efgh']);
      return (await edda.get(`${spaceFiles}/a.txt`)).text !== 'abcdefgh';
    },
  },

  'bulk.replaced-ones-stay-in-the-source': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    breaks: 'The uploaded files go from the source, also those that have replaced others.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => right(areas, request, file) && file.status === 'uploaded',
    ),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const file = join(sourceDirectory, 'a.txt');
      await writeFile(file, 'new');
      await service.edda.upload('a.txt', 'old');
      const body = { sourceDirectory, writeLog: false, replaceFiles: true, deleteFilesAfterUpload: true };
      await service.bulk('/admin/fileupload/main', body);
      const isReplaced = (await service.edda.get(`${spaceFiles}/a.txt`)).text === 'new';
      return isReplaced && (await isThere(file));
    },
  },

  'files.free-when-both-looked': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload fails where the file exists, also where it came into being during the upload.',
    kind: 'moment',
    variant: replaces('files', 'storeStream', async (_right, areas, place, call, content, checksum) => {
      const type = call.headers['content-type'] ?? unknownType;
      try {
        await areas.fileStore.write(place, content, {
          replace: true,
          accept: async ({ md5, stamp }) => {
            areas.fileAreas.assertChecksum(checksum, md5);
            await areas.fileAreas.keepFileRecord(place, stamp, { type, md5 });
          },
        });
      } catch (error) {
        throw areas.fileAreas.refusalOf(place, error);
      }
    }),
    async shows({ edda }) {
      const contents = many(6, (number) => String(number).repeat(1_000_000));
      const answers = await Promise.all(contents.map((content) => edda.upload('a.txt', content)));
      return answers.filter(({ status }) => status < 300).length > 1;
    },
  },
};

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
