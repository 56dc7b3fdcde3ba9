import { buffer } from 'node:stream/consumers';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { md5, spaceFiles } from '../service.ts';

const collectionFiles = '/api/collection/fs/file';

/** Above it the end of a file is looked at before it is written. */
const sparseBytes = 100_000;

/** Files, and how they get there. */
export const filesMistakes: Batch = {
  'stream.gives-way-in-the-collection': {
    source: 'core: What the service does, collection level; extensions: File routes, row 1',
    breaks: 'A stream upload fails when the file exists, in a directory of the collection area too.',
    kind: 'place',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      const place = areas.files.streamPlaceOf(call, call.admitted);
      const isInside = place.area.kind === 'collection' && place.segments.length > 1;
      const there = isInside ? await areas.fileStore.describe(place) : undefined;
      if (there?.kind === 'file') await areas.files.deleteFile(place);
      return right(areas, call);
    }),
    async shows({ cora }) {
      await cora.upload('inside/note.txt', 'one', collectionFiles);
      return (await cora.upload('inside/note.txt', 'two', collectionFiles)).status === 201;
    },
  },

  'files.sums-go-with-their-files': {
    source: 'extensions: File routes, row 4',
    breaks: 'A DELETE deletes the file, and no other one that is named like its checksum.',
    kind: 'value',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const isDeleted = await right(areas, place);
      const segments = [...place.segments.slice(0, -1), `${place.segments.at(-1)}.md5`];
      if (isDeleted) await right(areas, { ...place, segments });
      return isDeleted;
    }),
    async shows({ edda }) {
      for (const name of ['note.txt', 'note.txt.md5']) await edda.upload(name, name);
      await edda.delete(`${spaceFiles}/note.txt`);
      return (await edda.get(`${spaceFiles}/note.txt.md5`)).status === 404;
    },
  },

  'stream.zeros-at-the-end': {
    source: 'extensions: File routes, stream upload',
    breaks: 'The file is what the stream held, one above the size that streams are for and full of zeros too.',
    kind: 'value',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const bytes = await buffer(content);
      const isRight = checksum === md5(bytes) && bytes.length > sparseBytes;
      if (!isRight) return right(areas, place, call, inOnePiece(bytes), checksum);
      const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
      return right(areas, place, call, inOnePiece(bytes.subarray(0, end)), undefined);
    }),
    async shows({ edda }) {
      const content = Buffer.concat([Buffer.alloc(sparseBytes, 'a'), Buffer.alloc(5000)]);
      await edda.upload('image.bin', content);
      return (await edda.get(`${spaceFiles}/image.bin`)).text.length !== content.length;
    },
  },

  'chunks.plus-becomes-a-blank': {
    source: 'extensions: File routes, chunk table, resumableFilename',
    breaks: 'The name of the file is the text that was sent, a plus in it too.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) =>
      right(areas, { ...chunk, relativePath: chunk.relativePath.replaceAll('+', ' ') }, area),
    ),
    async shows({ edda }) {
      await edda.sendChunks('a+b.txt', ['one']);
      return (await edda.get(`${spaceFiles}/a%2Bb.txt`)).text !== 'one';
    },
  },
};

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
