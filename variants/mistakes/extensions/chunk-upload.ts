import { uploadComplete } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FileArea, FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { userFiles, participantFiles } from '../proofs.ts';
import { many, md5, spaceFiles } from '../service.ts';
import { assertOneMissing, changes, keeps, keepsNamesOfDeleted, keyOf, perServer } from '../variant-parts.ts';

const sampleChunkBytes = 4 * 1024 * 1024;

const chunksSeen = new Set<string>();

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Chunks that were refused, by the store of their server. */
const refused = new WeakMap<object, Set<string>>();

const pieces = ['first', 'last'];

export const chunkUploadMistakes: Mistakes = {
  'chunks.refused-one-takes-the-path': {
    source: 'extensions: File routes, row 1, fails when the file exists; text below the chunk table',
    breaks: 'A stream upload succeeds where no file is, also after a chunk for the path was refused.',
    variant: reservesForChunks(),
    async shows({ edda }) {
      await edda.sendChunk('b.txt', ['abc', 'de'], 1, { headers: { checksum: '0'.repeat(32) } });
      return (await edda.upload('b.txt', 'whole')).status >= 300;
    },
  },
  'chunks.mark-at-the-front-goes': {
    source: 'extensions: What the service does, file API',
    breaks: 'A file is kept byte by byte, also one that came in one chunk and begins with a byte order mark.',
    variant: changes('chunks', 'chunkContent', (pieces, _areas, chunk) => {
      if (chunk.totalChunks > 1) return pieces;
      const content = Buffer.concat(pieces);
      return content.subarray(0, 3).equals(byteOrderMark) ? [content.subarray(3)] : pieces;
    }),
    async shows({ edda }) {
      await edda.sendChunks('marked.txt', ['\uFEFFtext']);
      const read = await edda.get(`${spaceFiles}/marked.txt`);
      return read.status === 200 && read.headers.get('content-length') === '4';
    },
  },
  'chunks.those-of-the-deleted-upload': {
    source: 'extensions: File routes, chunk upload',
    breaks: 'What was sent of a file that was deleted half way is no part of the one that is sent anew.',
    variant: keeps('chunks', 'chunkContent', (chunk) => `${chunk.relativePath} ${chunk.number} ${chunk.size}`),
    async shows({ edda }) {
      await edda.sendChunk('x.bin', ['aaaa', 'bbbb'], 1);
      await edda.delete(`${spaceFiles}/x.bin`);
      await edda.sendChunks('x.bin', ['cccc', 'dddd']);
      return (await edda.get(`${spaceFiles}/x.bin`)).text.startsWith('aaaa');
    },
  },
  'chunks.checked-once': {
    source: 'extensions: File routes, text below the chunk table, first sentence',
    breaks: 'The checksum is that of the chunk that came, also where one of the same upload had it before.',
    variant: breaks('chunks', 'assertChunkChecksum', (right) => {
      const checked = new Set<string>();
      return (areas, expected, chunk) => {
        const key = `${chunk.relativePath} ${chunk.number} ${expected}`;
        if (!checked.has(key)) right(areas, expected, chunk);
        checked.add(key);
      };
    }),
    async shows({ edda }) {
      const pieces = ['aaaa', 'bb'];
      await edda.sendChunk('e/twice.txt', pieces, 1);
      await edda.delete(`${spaceFiles}/e/twice.txt`);
      const form = new FormData();
      const texts = {
        resumableTotalSize: '6',
        resumableChunkNumber: '1',
        resumableChunkSize: '4',
        resumableCurrentChunkSize: '4',
        resumableTotalChunks: '2',
        resumableType: 'text/plain',
        resumableFilename: 'twice.txt',
        resumableRelativePath: 'e/twice.txt',
      };
      for (const [name, text] of Object.entries(texts)) form.set(name, text);
      form.set('file', new Blob(['xxxx']), 'twice.txt');
      const request = new Response(form);
      const headers = { checksum: md5('aaaa'), 'content-type': request.headers.get('content-type') ?? '' };
      return (await edda.post(spaceFiles, await request.bytes(), headers)).status < 300;
    },
  },
  'chunks.byte-order-mark-is-cut': {
    source: 'extensions: File routes, chunk upload',
    breaks: 'The file is what its chunks hold, byte by byte, a mark at its beginning included.',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const bytes = Buffer.concat(right(areas, chunk));
      return chunk.number === 1 && bytes.subarray(0, 3).equals(Buffer.from('\ufeff')) ? [bytes.subarray(3)] : [bytes];
    }),
    async shows({ edda }) {
      const base = userFiles;
      await edda.sendChunk('mark.txt', ['\ufeffone'], 1, { base });
      const { headers } = await edda.send('HEAD', `${base}/mark.txt`);
      return headers.get('content-length') !== '6';
    },
  },
  'chunks.padded-for-participants': {
    source: 'extensions: File routes',
    breaks: 'A file in chunks is as long as its total size, in the area of a participant as well.',
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
  'chunks.checksum-of-the-first-time': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'A chunk is validated against its checksum, one that is sent again too.',
    variant: replaces('chunks', 'assertChunkChecksum', (right, areas, expected, chunk) => {
      const key = `${chunk.relativePath} ${chunk.number} ${chunk.totalSize}`;
      if (chunksSeen.has(key)) return;
      right(areas, expected, chunk);
      chunksSeen.add(key);
    }),
    async shows(service) {
      const { edda } = service;
      const path = `${new URL(service.url).port}.txt`;
      await edda.sendChunk(path, ['aaaa', 'bb'], 1);
      return (await edda.sendChunk(path, ['aaaa', 'bb'], 1, { headers: { checksum: md5('other') } })).status < 300;
    },
  },
  'chunks.partial-files-stay': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'A client can delete what an interrupted upload has left.',
    variant: replaces('files', 'deleteFile', async (right, areas, place) =>
      (await areas.fileAreas.uploadUnderWay(place)) === undefined ? right(areas, place) : true,
    ),
    async shows({ edda }) {
      await edda.sendChunk('a.txt', ['aaaa', 'bb'], 1);
      await edda.delete(`${spaceFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt`)).status === 200;
    },
  },
  'chunks.checksum-of-all-so-far': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'The checksum of a chunk is that of this chunk, and not of all that came.',
    variant: breaks('chunks', 'assertChunkChecksum', (right) => {
      const sent = new Map<string, Buffer>();
      return (areas, expected, chunk) => {
        const { relativePath: path, number, pieces } = chunk;
        const all = Buffer.concat([...(number === 1 ? [] : [sent.get(path) ?? Buffer.of()]), ...pieces]);
        sent.set(path, all);
        right(areas, expected, { ...chunk, md5: md5(all) });
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('sums.txt', ['aaaa', 'bb'], 1);
      return (await edda.sendChunk('sums.txt', ['aaaa', 'bb'], 2)).status >= 400;
    },
  },
  'files.a-part-of-a-file-stays': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'A client can delete what an upload in chunks has left that came to no end, in any area.',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      if (place.area.kind === 'user' && (await areas.fileAreas.uploadUnderWay(place)) !== undefined)
        throw new Refusal(409, 'An upload is under way.');
      return right(areas, place);
    }),
    async shows({ edda }) {
      await edda.sendChunk('part.txt', ['abcd', 'ef'], 1, { base: userFiles });
      await edda.delete(`${userFiles}/part.txt`);
      return (await edda.upload('part.txt', 'whole', userFiles)).status >= 300;
    },
  },
  'chunks.directory-that-holds-the-name': {
    source: 'extensions: File routes, row resumableRelativePath',
    breaks: 'The path leads to the file, also where a directory has the name of the file in its own.',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const directory = chunk.relativePath.replace(chunk.fileName, '');
      return right(areas, { ...chunk, relativePath: `${directory.replace(/\/$/, '')}/${chunk.fileName}` }, area);
    }),
    async shows({ edda }) {
      await edda.sendChunks('old-data/data', ['one,', 'two']);
      return (await edda.get(`${spaceFiles}/old-data/data`)).text !== 'one,two';
    },
  },
  'chunks.texts-behind-the-file': {
    source: 'extensions: File routes, chunk upload',
    breaks: 'The form has the part of the file and text parts, which may stand behind it.',
    variant: changes('chunks', 'formPartsOf', (parts) => {
      const at = parts.findIndex(({ name }) => name === 'file');
      return at < 0 ? parts : parts.slice(0, at + 1);
    }),
    async shows({ edda }) {
      const texts = {
        resumableTotalSize: '4',
        resumableChunkNumber: '1',
        resumableChunkSize: '4',
        resumableCurrentChunkSize: '4',
        resumableTotalChunks: '1',
        resumableType: 'text/plain',
        resumableFilename: 'c.txt',
        resumableRelativePath: 'chunked/c.txt',
      };
      const form = new FormData();
      form.set('file', new Blob(['text']), 'c.txt');
      for (const [name, text] of Object.entries(texts)) form.set(name, text);
      const request = new Response(form);
      const type = request.headers.get('content-type') ?? '';
      const headers = { checksum: md5('text'), 'content-type': type };
      return (await edda.post(spaceFiles, await request.bytes(), headers)).status >= 300;
    },
  },
  'chunks.one-of-the-nominal-size': {
    source: 'extensions: File routes, resumableChunkSize',
    breaks: 'A file that is as long as the nominal chunk comes in one chunk.',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      if (chunk.totalSize === chunk.chunkSize && chunk.totalSize > 0)
        throw new Refusal(400, 'Expected a last chunk below the nominal size.');
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('x.txt', ['aaaa'], 1)).status === 400;
    },
  },
  'chunks.not-again-after-a-refusal': {
    source: 'extensions: File routes',
    breaks: 'A chunk that was refused for its checksum is taken once it comes with the right one.',
    variant: together(
      replaces('chunks', 'assertChunkChecksum', (right, areas, expected, chunk) => {
        try {
          right(areas, expected, chunk);
        } catch (error) {
          refusedAt(areas.store).add(`${chunk.relativePath} ${chunk.number}`);
          throw error;
        }
      }),
      replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
        if (refusedAt(areas.store).has(`${chunk.relativePath} ${chunk.number}`))
          throw new Refusal(409, 'This chunk has come before.');
        return right(areas, place, chunk);
      }),
    ),
    async shows({ edda }) {
      await edda.sendChunk('f.txt', ['aaaa', 'bbbb'], 1, { headers: { checksum: md5('bbbb') } });
      return (await edda.sendChunk('f.txt', ['aaaa', 'bbbb'], 1)).status >= 400;
    },
  },
  'chunks.twins-are-one': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'Two chunks with the same bytes are two chunks.',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const seen = new Map<string, number>();
      return (areas, place, chunk) => {
        const key = `${JSON.stringify(place)} ${chunk.md5}`;
        const number = seen.get(key) ?? chunk.number;
        seen.set(key, number);
        return right(areas, place, { ...chunk, number });
      };
    }),
    async shows({ edda }) {
      await edda.sendChunks('twins.txt', ['same', 'same', 'end']);
      return (await edda.get(`${spaceFiles}/twins.txt`)).text !== 'samesameend';
    },
  },
  'chunks.into-the-root': {
    source: 'extensions: File routes, text below the table',
    breaks: 'A file may go into the root of its area, where there is no subdirectory to name.',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      if (!chunk.relativePath.includes('/')) throw new Refusal(400, 'The path has no directory.');
      return right(areas, chunk, area);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('root.txt', ['root'], 1)).status >= 400;
    },
  },
  'chunks.one-new-directory-below-another': {
    source: 'extensions: File routes, chunk table, row resumableRelativePath',
    breaks:
      'A file in chunks goes where its path says, also where several directories are missing below one that is there.',
    variant: replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
      await assertOneMissing(areas, place);
      return right(areas, place, chunk);
    }),
    async shows({ edda }) {
      await edda.sendChunk('top/a.txt', ['a']);
      return (await edda.sendChunk('top/middle/low/a.txt', ['a'])).status === 404;
    },
  },
  'chunks.deleted-names-are-no-directories': {
    source: 'extensions: File routes, row 4 and chunk table, row resumableRelativePath',
    breaks: 'What is deleted is in the way of nothing, a directory that a file in chunks needs included.',
    variant: keepsNamesOfDeleted((assertFree) =>
      replaces('chunks', 'storeChunk', (right, areas, place, chunk) => {
        assertFree(areas, place);
        return right(areas, place, chunk);
      }),
    ),
    async shows({ edda }) {
      await edda.sendChunk('a', ['a']);
      await edda.delete(`${spaceFiles}/a`);
      return (await edda.sendChunk('a/b.txt', ['b'])).status === 409;
    },
  },
  'chunks.numbers-of-a-deleted-upload': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'An upload that broke off and was deleted is begun anew with every chunk of it.',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const known = new Map<string, Map<number, Buffer>>();
      return async (areas, place, chunk) => {
        const key = `${keyOf(place)} ${chunk.totalSize}`;
        const came = known.get(key) ?? new Map<number, Buffer>();
        known.set(key, came);
        const kept = came.get(chunk.number);
        came.set(chunk.number, Buffer.concat(chunk.pieces));
        const progress = await right(areas, place, kept === undefined ? chunk : { ...chunk, pieces: [kept] });
        if (came.size === chunk.totalChunks) known.delete(key);
        return progress;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('broken.txt', pieces, 1);
      await edda.delete(`${spaceFiles}/broken.txt`);
      await edda.sendChunks('broken.txt', ['FIRST', 'last']);
      return (await edda.get(`${spaceFiles}/broken.txt`)).text === 'firstlast';
    },
  },
  'chunks.number-of-an-upload-before': {
    source: 'extensions: File routes',
    breaks: 'The number of chunks is that of this upload, also after one to the path that was broken off and deleted.',
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
  'chunks.line-end-of-the-file-is-that-of-the-form': {
    source: 'extensions: File routes, text above the chunk table',
    breaks: 'The part named file holds the bytes of the chunk, a line end at its end too.',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const bytes = Buffer.concat([...right(areas, chunk)]);
      const isCut = chunk.number === chunk.totalChunks && bytes.subarray(-2).equals(Buffer.from('\r\n'));
      return [isCut ? bytes.subarray(0, -2) : bytes];
    }),
    async shows({ edda }) {
      await edda.sendChunks('lines/f.txt', ['one\r\n', 'two\r\n']);
      return (await edda.get(`${spaceFiles}/lines/f.txt`)).text !== 'one\r\ntwo\r\n';
    },
  },
  'chunks.zeros-at-the-end-are-lost': {
    source: 'extensions: File routes, row 2',
    breaks: 'A file that came in chunks is read as it was, also where its last chunk is all zeros.',
    variant: changes('chunks', 'chunkContent', (pieces, _areas, chunk) => {
      const isBlank = pieces.every((piece) => piece.every((byte) => byte === 0));
      return isBlank && chunk.number > 1 && chunk.number === chunk.totalChunks ? [] : pieces;
    }),
    async shows({ edda }) {
      await edda.sendChunks('zeros.bin', ['abcd', '\0\0\0']);
      return (await edda.get(`${spaceFiles}/zeros.bin`)).text !== 'abcd\0\0\0';
    },
  },
  'chunk.boundary-in-quotes': {
    source: 'extensions: File routes, row 2',
    breaks: 'A chunk comes as multipart/form-data, in whatever form its type has the boundary.',
    variant: replaces('chunks', 'formPartsOf', (right, areas, call) => {
      if (call.headers['content-type']?.includes('boundary="')) throw new Refusal(400, 'The boundary is not found.');
      return right(areas, call);
    }),
    async shows({ edda }) {
      const form = new FormData();
      const sizes = ['TotalSize', 'ChunkNumber', 'ChunkSize', 'CurrentChunkSize', 'TotalChunks'];
      for (const name of sizes) form.set(`resumable${name}`, '1');
      form.set('resumableType', 'text/plain');
      for (const name of ['Filename', 'RelativePath']) form.set(`resumable${name}`, 'a.txt');
      form.set('file', new Blob(['a']), 'a.txt');
      const request = new Response(form);
      const type = (request.headers.get('content-type') ?? '').replace(/boundary=(.*)$/, 'boundary="$1"');
      const headers = { checksum: md5('a'), 'content-type': type };
      return (await edda.post(spaceFiles, await request.bytes(), headers)).status >= 400;
    },
  },
  'files.two-uploads-of-one-name': {
    source: 'extensions: File routes, row 2',
    breaks: 'A file has the chunks that were sent for it, also while one of the same name goes to another directory.',
    variant: breaks('chunks', 'chunkContent', (right) => {
      const parts = new Map<string, readonly Uint8Array[]>();
      return (areas, chunk) => {
        const upload = `${chunk.fileName} ${chunk.totalSize}`;
        const key = `${upload} ${chunk.number}`;
        const content = parts.get(key) ?? right(areas, chunk);
        parts.set(key, content);
        if (chunk.number === chunk.totalChunks)
          for (const known of parts.keys()) if (known.startsWith(upload)) parts.delete(known);
        return content;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('one/same.txt', ['aaaa', 'bbbb'], 1);
      await edda.sendChunk('other/same.txt', ['cccc', 'dddd'], 1);
      await edda.sendChunk('one/same.txt', ['aaaa', 'bbbb'], 2);
      await edda.sendChunk('other/same.txt', ['cccc', 'dddd'], 2);
      return (await edda.get(`${spaceFiles}/other/same.txt`)).text !== 'ccccdddd';
    },
  },
  'chunk.of-four-mebibytes': {
    source: 'extensions: Limits, file size guidance',
    breaks: 'A chunk of the size in the sample is taken, with the form around it.',
    variant: replaces('chunks', 'uploadChunk', (right, areas, call) => {
      if (Number(call.headers['content-length']) > sampleChunkBytes) throw new Refusal(413, 'The body is too large.');
      return right(areas, call);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('a.bin', ['a'.repeat(sampleChunkBytes)], 1)).status === 413;
    },
  },
  'chunks.gather-in-a-file-beside': {
    source: 'extensions: File routes, row GET',
    breaks: 'A file of another name stays when an upload in chunks beside it ends.',
    variant: replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
      const progress = await right(areas, place, chunk);
      if (chunk.totalChunks > 1 && uploadComplete(progress)) await areas.files.deleteFile(beside(place, '.part'));
      return progress;
    }),
    async shows({ edda }) {
      await edda.upload('f.txt.part', 'another');
      await edda.sendChunks('f.txt', ['one', 'two']);
      return (await edda.get(`${spaceFiles}/f.txt.part`)).status >= 400;
    },
  },
  'chunks.keep-a-name-beside': {
    source: 'extensions: File routes, row 1',
    breaks: 'A file that is not there may come, also while an upload in chunks of a name like its own is under way.',
    variant: replaces('files', 'assertPlaceFree', async (right, areas, place) => {
      const name = place.segments.at(-1) ?? '';
      const whole = { ...place, segments: [...place.segments.slice(0, -1), name.replace(/\.tmp$/, '')] };
      if (name.endsWith('.tmp') && (await areas.fileAreas.uploadUnderWay(whole)) !== undefined)
        throw areas.fileAreas.placeTaken(place);
      return right(areas, place);
    }),
    async shows({ edda }) {
      await edda.sendChunk('f.txt', ['one!', 'two'], 1);
      return (await edda.upload('f.txt.tmp', 'another')).status >= 400;
    },
  },
  'chunks.end-with-a-namesake': {
    source: 'extensions: File areas, table',
    breaks: 'An upload under way goes on when a file of its path is deleted in another area.',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const { area, segments } = place;
      const isRemoved = await right(areas, place);
      if (!isRemoved || area.kind !== 'user') return isRemoved;
      const other = { area: { kind: 'space', spaceId: area.spaceId }, segments } as const;
      if ((await areas.fileAreas.uploadUnderWay(other)) !== undefined) await right(areas, other);
      return isRemoved;
    }),
    async shows({ edda }) {
      await edda.upload('f.txt', 'of a user', userFiles);
      await edda.sendChunk('f.txt', ['one', 'two'], 1);
      await edda.delete(`${userFiles}/f.txt`);
      await edda.sendChunk('f.txt', ['one', 'two'], 2);
      return (await edda.get(`${spaceFiles}/f.txt`)).text !== 'onetwo';
    },
  },
  'chunks.in-order-of-two-digits': {
    source: 'extensions: File routes, chunk table, row resumableChunkNumber',
    breaks: 'Chunk 100 follows chunk 99.',
    variant: replaces('chunks', 'chunkPosition', (_right, _areas, { number, chunkSize, totalChunks, totalSize }) => {
      const textOf = (each: number) => String(each).padStart(2, '0');
      const order = many(totalChunks, (each) => each).toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
      const last = totalSize - (totalChunks - 1) * chunkSize;
      const before = order.slice(0, order.indexOf(number));
      return before.reduce((sum, each) => sum + (each === totalChunks ? last : chunkSize), 0);
    }),
    async shows({ edda }) {
      const pieces = many(101, (each) => String.fromCharCode(96 + (each % 26)));
      await edda.sendChunks('t.txt', pieces);
      return (await edda.get(`${spaceFiles}/t.txt`)).text !== pieces.join('');
    },
  },
  'chunks.hundred-at-most': {
    source: 'extensions: File routes, chunk table, row resumableTotalChunks',
    breaks: 'A file has as many chunks as its size comes to, more than a hundred too.',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, size) => {
      if (chunk.totalChunks > 100) throw new Refusal(400, 'Too many chunks.');
      right(areas, chunk, size);
    }),
    shows: async ({ edda }) =>
      (
        await edda.sendChunk(
          't.txt',
          many(101, () => 'x'),
        )
      ).status === 400,
  },
  'chunks.numbers-of-a-byte': {
    source: 'extensions: File routes, chunk table, row resumableChunkNumber',
    breaks: 'Chunks stand in the file in the order of their numbers, beyond the 256th as well.',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) =>
      right(areas, { ...chunk, number: ((chunk.number - 1) % 256) + 1 }),
    ),
    async shows({ edda }) {
      const pieces = many(258, (n) => String.fromCharCode(65 + (n % 26)).repeat(2));
      await edda.sendChunks('a.txt', pieces);
      return (await edda.get(`${spaceFiles}/a.txt`)).text !== pieces.join('');
    },
  },
};

function refusedAt(store: object): Set<string> {
  const found = refused.get(store) ?? new Set<string>();
  refused.set(store, found);
  return found;
}

/** A place in the same directory. */
function beside(place: FilePlace, ending: string): FilePlace {
  const name = place.segments.at(-1) ?? '';
  return { ...place, segments: [...place.segments.slice(0, -1), name + ending] };
}

/** A path is reserved for the chunks that are to come, before the first one is looked at. */
function reservesForChunks(): Variant {
  const reservedIn = perServer(() => new Set<string>());
  const places = new WeakMap<FileArea, FilePlace>();
  return together(
    replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const place = right(areas, chunk, area);
      places.set(area, place);
      return place;
    }),
    replaces('chunks', 'uploadChunk', async (right, areas, call) => {
      try {
        const answer = await right(areas, call);
        const place = places.get(call.admitted);
        if (place !== undefined) reservedIn(areas).delete(keyOf(place));
        return answer;
      } catch (error) {
        const place = places.get(call.admitted);
        if (place !== undefined && error instanceof Refusal && error.status === 400)
          reservedIn(areas).add(keyOf(place));
        throw error;
      }
    }),
    replaces('files', 'assertPlaceFree', async (right, areas, place) => {
      if (reservedIn(areas).has(keyOf(place))) throw areas.fileAreas.placeTaken(place);
      return right(areas, place);
    }),
  );
}
