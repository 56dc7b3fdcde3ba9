import { Readable } from 'node:stream';
import type { Areas } from '../../../reference-server/areas.ts';
import { uploadComplete } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { many, md5, spaceFiles } from '../service.ts';
import { changes, inOnePiece, keyOf, perServer, wholeOf } from '../variant-parts.ts';

/** From this size on, chunks are put where a page of memory begins. */
const alignedFrom = 1024 * 1024;

const memoryPage = 4096;

const carriageReturn = 0x0d;

const partsIn = perServer(() => new Map<string, Map<number, Buffer>>());

export const chunkPartsMistakes: Mistakes = {
  'chunks.size-of-the-file-before': {
    source: 'extensions: File routes, chunk table',
    breaks:
      'A chunk stands where its own upload says, also where an upload to the same path had chunks of another size.',
    variant: breaks('chunks', 'chunkPosition', (right) => {
      const sizes = new Map<string, number>();
      return (areas, chunk) => {
        const chunkSize = sizes.get(chunk.relativePath) ?? chunk.chunkSize;
        sizes.set(chunk.relativePath, chunkSize);
        return right(areas, { ...chunk, chunkSize });
      };
    }),
    async shows({ edda }) {
      await edda.sendChunks('a.txt', ['abcd', 'ef']);
      await edda.delete(`${spaceFiles}/a.txt`);
      await edda.sendChunks('a.txt', ['gh', 'ij']);
      return (await edda.get(`${spaceFiles}/a.txt`)).text !== 'ghij';
    },
  },
  'chunks.are-put-together-by-name': {
    source: 'extensions: File routes, chunk table',
    breaks: 'Chunk ten comes behind chunk nine.',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
      if (chunk.totalSize !== chunk.chunkSize * chunk.totalChunks) return right(areas, chunk);
      const names = Array.from({ length: chunk.totalChunks }, (_, index) => String(index + 1)).sort();
      return names.indexOf(String(chunk.number)) * chunk.chunkSize;
    }),
    async shows({ edda }) {
      const pieces = [...'abcdefghijkl'];
      await edda.sendChunks('x.bin', pieces);
      return (await edda.get(`${spaceFiles}/x.bin`)).text !== pieces.join('');
    },
  },
  'chunks.large-ones-are-aligned': {
    source: 'extensions: File routes, chunk table, resumableChunkSize',
    breaks: 'A chunk begins where the nominal size says, whatever size that is.',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
      const { number, chunkSize } = chunk;
      if (chunkSize < alignedFrom) return right(areas, chunk);
      return (number - 1) * Math.floor(chunkSize / memoryPage) * memoryPage;
    }),
    async shows({ edda }) {
      const pieces = ['a'.repeat(alignedFrom + 1), 'b'];
      await edda.sendChunks('large.txt', pieces);
      return (await edda.get(`${spaceFiles}/large.txt`)).text !== pieces.join('');
    },
  },
  'chunks.types-with-a-plus-refused': {
    source: 'extensions: File routes, chunk table, resumableType',
    breaks: 'Every MIME type is one that a chunk may have.',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      if (!/^\w+\/[\w.-]+(?:;|$)/.test(chunk.type))
        throw new Refusal(400, 'Expected a MIME type.', { pointer: 'resumableType' });
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('drawing.svg', ['<svg/>'], 1, { mimeType: 'image/svg+xml' })).status >= 400;
    },
  },
  'chunks.one-more-for-a-full-last-one': {
    source: 'extensions: File routes, chunk table, row resumableTotalChunks',
    breaks: 'The number of chunks is rounded up, so that there is none more where the last one is full.',
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
  'chunks.counted-as-they-come': {
    source: 'extensions: File routes, chunk table, row resumableTotalSize',
    breaks: 'A file is whole when all its bytes are there, and not when so many chunks came, one of them twice.',
    survives: 'What a chunk does that comes twice is not said (chunk-order-and-repeat); it is remarked on.',
    variant: breaks('fileAreas', 'keepChunk', (right) => {
      const counts = new Map<string, number>();
      return async (areas, place, info, add) => {
        const progress = await right(areas, place, info, add);
        if (progress === undefined) return progress;
        const id = areas.fileAreas.uploadIdOf(place, info.fileId);
        const count = (counts.get(id) ?? 1) + 1;
        counts.set(id, count);
        return count >= progress.totalChunks
          ? { ...progress, received: [[1, progress.totalChunks]] as const }
          : progress;
      };
    }),
    async shows({ edda }) {
      const pieces = ['aaaa', 'bbbb', 'cc'];
      for (const number of [1, 2, 2, 3]) await edda.sendChunk('d/again.txt', pieces, number);
      return (await edda.get(`${spaceFiles}/d/again.txt`)).text !== 'aaaabbbbcc';
    },
  },
  'chunks.one-more-for-full-ones': {
    source: 'extensions: File routes, chunk table, row resumableTotalChunks',
    breaks: 'Chunks are size by chunk size, rounded up: where nothing is left over there is none for it.',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      const needed = Math.floor(chunk.totalSize / chunk.chunkSize) + 1;
      if (chunk.totalChunks !== needed)
        throw new Refusal(400, `Expected ${needed} chunks, found ${chunk.totalChunks}.`);
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('g/full.txt', ['aaaa', 'bbbb'], 1)).status >= 400;
    },
  },
  'files.full-last-chunk': {
    source: 'extensions: File routes, chunk table',
    breaks: 'A file that came in chunks has the bytes that were sent, also when the last chunk is a full one.',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const { number, totalChunks, totalSize, chunkSize } = chunk;
      const bytes = Buffer.concat(right(areas, chunk));
      const isFullLast = number === totalChunks && totalChunks >= 3 && totalSize % chunkSize === 0;
      return isFullLast ? [bytes.subarray(0, -1), Buffer.of(0)] : [bytes];
    }),
    async shows({ edda }) {
      await edda.sendChunks('chunked.txt', ['aaaa', 'bbbb', 'cccc']);
      return (await edda.get(`${spaceFiles}/chunked.txt`)).text !== 'aaaabbbbcccc';
    },
  },
  'chunks.path-of-eight-names': {
    source: 'extensions: File routes, chunk table, resumableRelativePath',
    breaks: 'The target path has as many subdirectories as it says, be they more than seven.',
    variant: replaces('fileAreas', 'relativePathOf', (right, areas, path) => right(areas, path).slice(0, 8)),
    async shows({ edda }) {
      const path = 'a/b/c/d/e/f/g/h/deep.txt';
      await edda.sendChunks(path, ['deep']);
      return (await edda.get(`${spaceFiles}/${path}`)).text !== 'deep';
    },
  },
  'chunks.plus-becomes-a-blank': {
    source: 'extensions: File routes, chunk table, resumableFilename',
    breaks: 'The name of the file is the text that was sent, a plus in it too.',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) =>
      right(areas, { ...chunk, relativePath: chunk.relativePath.replaceAll('+', ' ') }, area),
    ),
    async shows({ edda }) {
      await edda.sendChunks('a+b.txt', ['one']);
      return (await edda.get(`${spaceFiles}/a%2Bb.txt`)).text !== 'one';
    },
  },
  'chunk.ends-with-a-line': {
    source: 'extensions: File routes, chunk table, resumableCurrentChunkSize',
    breaks: 'The chunk has the size that it has, with the end of a line as its last bytes too.',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      const ends = Buffer.concat(chunk.pieces.slice(-2)).subarray(-2).toString() === '\r\n';
      right(areas, ends ? { ...chunk, size: chunk.size - 2 } : chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('a.txt', ['a\r\n'], 1)).status >= 400;
    },
  },
  'chunks.sorted-as-text': {
    source: 'extensions: File routes, chunk table, resumableChunkNumber',
    breaks: 'Chunks stand in the file in the order of their numbers, the tenth behind the ninth.',
    museum: true,
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, chunkSize, totalChunks }) => {
      const names = many(totalChunks, String).toSorted();
      return names.indexOf(String(number)) * chunkSize;
    }),
    async shows({ edda }) {
      const pieces = many(11, (number) => String(number).padEnd(4));
      await edda.sendChunks('a.txt', pieces);
      return (await edda.get(`${spaceFiles}/a.txt`)).text !== pieces.join('');
    },
  },
  'chunks.of-one-name-are-of-one-file': {
    source: 'extensions: File routes, chunk table, resumableRelativePath',
    breaks:
      'A chunk goes to the path that it names, also where a file of the same name and size is under way elsewhere.',
    museum: true,
    variant: (classes) => {
      const begun = new Map<string, FilePlace>();
      return replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
        const name = `${chunk.relativePath.split('/').at(-1) ?? ''} ${chunk.totalSize}`;
        const place = begun.get(name) ?? right(areas, chunk, area);
        if (chunk.number === chunk.totalChunks) begun.delete(name);
        else begun.set(name, place);
        return place;
      })(classes);
    },
    async shows({ edda }) {
      for (const number of [1, 2]) {
        await edda.sendChunk('one/a.txt', ['aaaa', 'bb'], number);
        await edda.sendChunk('other/a.txt', ['cccc', 'dd'], number);
      }
      return (await edda.get(`${spaceFiles}/one/a.txt`)).text !== 'aaaabb';
    },
  },
  'chunks.carriage-return-at-the-end': {
    source: 'extensions: File routes, chunk table, file',
    breaks: 'A chunk is stored byte by byte, a carriage return at its end too.',
    museum: true,
    variant: changes('chunks', 'chunkContent', (pieces) => {
      const last = pieces.at(-1);
      return last?.at(-1) === carriageReturn ? [...pieces.slice(0, -1), last.subarray(0, -1)] : pieces;
    }),
    async shows({ edda }) {
      await edda.sendChunks('a.bin', ['a\r']);
      return (await edda.get(`${spaceFiles}/a.bin`)).text !== 'a\r';
    },
  },
  'chunks.placed-by-their-own-size': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The nominal size says where a chunk stands, also for the last one, which is shorter.',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, size }) => (number - 1) * size),
    async shows({ edda }) {
      await edda.sendChunks('chunks.txt', ['four', 'four', 'to']);
      return (await edda.get(`${spaceFiles}/chunks.txt`)).text !== 'fourfourto';
    },
  },
  'chunks.last-byte-alone': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The file has the bytes that were sent, also where the last chunk is a single one.',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) =>
      chunk.number > 1 && chunk.size === 1 && chunk.number === chunk.totalChunks ? [] : right(areas, chunk),
    ),
    async shows({ edda }) {
      await edda.sendChunks('odd.txt', ['abcd', 'e']);
      return (await edda.get(`${spaceFiles}/odd.txt`)).text !== 'abcde';
    },
  },
  'files.chunks-rounded': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The chunks of a file are its size divided by that of a chunk and rounded up, however little is left.',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      const { totalSize, chunkSize, totalChunks } = chunk;
      if (totalChunks !== Math.max(1, Math.round(totalSize / chunkSize))) throw new Refusal(400, 'Other chunks.');
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('rounded.txt', ['aaaa', 'b'], 1)).status >= 400;
    },
  },
  'chunks.last-ones-of-a-deleted-upload': {
    source: 'extensions: File routes',
    breaks: 'Once a partial file is deleted, nothing of it is in the file that is uploaded in its place.',
    variant: replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
      const parts = partsIn(areas).get(keyOf(place)) ?? new Map<number, Buffer>();
      const progress = await right(areas, place, chunk);
      partsIn(areas).set(keyOf(place), parts.set(chunk.number, Buffer.concat(chunk.pieces)));
      if (!uploadComplete(progress)) return progress;
      partsIn(areas).delete(keyOf(place));
      if (Math.max(...parts.keys()) > chunk.totalChunks)
        await rewrite(areas, place, Buffer.concat([...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part)));
      return progress;
    }),
    async shows({ edda }) {
      await edda.sendChunk('a.txt', ['aaa', 'bbb', 'ccc'], 1);
      await edda.sendChunk('a.txt', ['aaa', 'bbb', 'ccc'], 2);
      await edda.delete(`${spaceFiles}/a.txt`);
      await edda.sendChunk('a.txt', ['ddd'], 1);
      return (await edda.get(`${spaceFiles}/a.txt`)).text === 'dddbbb';
    },
  },
  'chunks.end-of-the-former': {
    source: 'extensions: File routes, row 2 and paragraph after the chunk table',
    breaks: 'After a partial file was deleted, a shorter one uploaded there in chunks is what was sent.',
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
  'chunk.names-in-quotes-alone': {
    source: 'extensions: File routes, chunk table',
    breaks: 'Parts are known by their names, also where a form spells these without quotes.',
    variant: replaces('chunks', 'formPartsOf', async (right, areas, call) => {
      const body = await wholeOf(call.stream ?? inOnePiece(new Uint8Array()));
      if (/; name=resumable/.test(body.toString('latin1'))) throw new Refusal(400, 'Expected the parts of a chunk.');
      return right(areas, { ...call, stream: Readable.from([body], { objectMode: false }) });
    }),
    async shows({ edda }) {
      const [path, text] = ['bare.txt', 'one'];
      const texts = {
        resumableTotalSize: text.length,
        resumableChunkNumber: 1,
        resumableChunkSize: text.length,
        resumableCurrentChunkSize: text.length,
        resumableTotalChunks: 1,
        resumableType: 'text/plain',
        resumableFilename: path,
        resumableRelativePath: path,
      };
      const part = (name: string, content: unknown): string =>
        `--edge\r\nContent-Disposition: form-data; name=${name}\r\n\r\n${String(content)}\r\n`;
      const parts = [...Object.entries(texts), ['file; filename="bare.txt"', text] as const];
      const form = `${parts.map(([name, content]) => part(name, content)).join('')}--edge--\r\n`;
      const headers = { checksum: md5(text), 'content-type': 'multipart/form-data; boundary=edge' };
      return (await edda.post(spaceFiles, form, headers)).status === 400;
    },
  },
};

async function rewrite(areas: Areas, place: FilePlace, content: Buffer): Promise<void> {
  await areas.fileStore.write(place, inOnePiece(content), {
    replace: true,
    accept: ({ stamp, md5: sum }) => areas.fileAreas.keepFileRecord(place, stamp, { type: 'text/plain', md5: sum }),
  });
}
