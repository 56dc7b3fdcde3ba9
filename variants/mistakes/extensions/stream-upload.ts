import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { incoming } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { userFiles } from '../proofs.ts';
import { md5, spaceFiles } from '../service.ts';
import {
  assertOneMissing,
  changes,
  inOnePiece,
  isRefusal,
  keepsNamesOfDeleted,
  keyOf,
  smallBytes,
  wholeOf,
} from '../variant-parts.ts';

/** Names that a refused upload left behind, by the store of the server. */
const spoilt = new WeakMap<object, Set<string>>();

const noContent = md5('');

/** Above it the end of a file is looked at before it is written. */
const sparseBytes = 100_000;

export const streamUploadMistakes: Mistakes = {
  'files.stream-segment-forgiven': {
    source: 'extensions: File routes, rows 3 and 4',
    breaks: 'A file is deleted and read at its own path; at that of its stream upload there is none.',
    variant: together(forgivesStream('downloadFile'), forgivesStream('removeFile')),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a');
      await edda.delete(`${spaceFiles}/stream/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt`)).status === 404;
    },
  },
  'stream.long-ones-are-lost': {
    source: 'extensions: File routes, row 1',
    breaks: 'A file that is taken is stored, be it long.',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      const place = areas.files.streamPlaceOf(call, call.admitted);
      const isLong = Number(call.headers['content-length'] ?? 0) > 1_000_000;
      const answer = await right(areas, call);
      if (place.area.kind === 'user' && isLong) await areas.files.deleteFile(place);
      return answer;
    }),
    async shows({ edda }) {
      const { status } = await edda.upload('long.txt', 'a'.repeat(1_100_000), userFiles);
      return status === 201 && (await edda.get(`${userFiles}/long.txt`)).status === 404;
    },
  },
  'stream.checksum-of-large-files-is-not-compared': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file of 150 kB is validated against its checksum as a small one is.',
    variant: replaces('files', 'storeStream', (right, areas, place, call, content, checksum) =>
      right(areas, place, call, content, Number(call.headers['content-length']) > 100_000 ? undefined : checksum),
    ),
    async shows({ edda }) {
      const headers = { checksum: md5('another'), 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/a.txt`, 'a'.repeat(150_000), headers)).status < 300;
    },
  },
  'stream.last-of-two-at-once-wins': {
    source: 'extensions: File routes, stream upload',
    breaks: 'Of two uploads to one path at once one fails, since the file exists by then.',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of content) pieces.push(piece);
      const again = async function* () {
        yield* pieces;
      };
      try {
        await right(areas, place, call, again(), checksum);
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 409) throw error;
        await areas.fileStore.remove(place);
        await right(areas, place, call, again(), checksum);
      }
    }),
    async shows({ edda }) {
      const answers = await Promise.all(['a', 'b', 'c', 'd'].map((text) => edda.upload('a.txt', text.repeat(90_000))));
      return answers.filter(({ status }) => status < 300).length > 1;
    },
  },
  'files.nothing-has-any-checksum': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is held against its checksum, also where it has no bytes.',
    variant: replaces('fileAreas', 'assertChecksum', (right, areas, expected, found) => {
      if (found !== noContent) right(areas, expected, found);
    }),
    shows: async ({ edda }) => {
      const headers = { checksum: md5('something'), 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/empty.txt`, '', headers)).status < 400;
    },
  },
  'files.checksum-of-the-text': {
    source: 'extensions: File routes, paragraph on stream upload',
    breaks: 'The checksum is the hash of the file as it is, also where its bytes are no text.',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of content) pieces.push(Buffer.from(piece));
      const bytes = Buffer.concat(pieces);
      const text = bytes.toString('utf8');
      areas.fileAreas.assertChecksum(checksum, createHash('md5').update(text).digest('hex'));
      return right(areas, place, call, inOnePiece(bytes), checksum);
    }),
    async shows({ edda }) {
      return (await edda.upload('a.bin', new Uint8Array([0xff, 0xfe, 0x80, 0x00]))).status >= 400;
    },
  },
  'files.refused-and-kept': {
    source: 'extensions: File routes, text on the stream upload, second sentence',
    breaks: 'A file that does not fit its checksum is not taken, and not there afterwards.',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const whole = await wholeOf(content);
      try {
        await right(areas, place, call, inOnePiece(whole), checksum);
      } catch (error) {
        const isUnfit = error instanceof Refusal && error.pointer === 'checksum';
        if (isUnfit) await right(areas, place, call, inOnePiece(whole), undefined);
        throw error;
      }
    }),
    async shows({ edda }) {
      const headers = { checksum: md5('other'), 'content-type': 'text/plain' };
      await edda.post(`${spaceFiles}/stream/h/unfit.txt`, 'text', headers);
      return (await edda.get(`${spaceFiles}/h/unfit.txt`)).status === 200;
    },
  },
  'files.text-is-decoded': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A download has the bytes of the upload, also those of a text that is no UTF-8.',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      if (!(call.headers['content-type'] ?? '').startsWith('text/'))
        return right(areas, place, call, content, checksum);
      const bytes = await buffer(content);
      areas.fileAreas.assertChecksum(checksum, md5(bytes));
      return right(areas, place, call, inOnePiece(Buffer.from(bytes.toString())), undefined);
    }),
    async shows({ edda }) {
      const latin = Buffer.from('Größe', 'latin1');
      await edda.upload('latin.txt', latin);
      return (await edda.get(`${spaceFiles}/latin.txt`)).headers.get('content-length') !== String(latin.length);
    },
  },
  'stream.zeros-at-the-end': {
    source: 'extensions: File routes, stream upload',
    breaks: 'The file is what the stream held, one above the size that streams are for and full of zeros too.',
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
  'stream.large-into-a-new-directory': {
    source: 'extensions: File routes, text on the stream upload',
    breaks: 'Directories are created as needed, for a file that is larger than those a stream is meant for too.',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const { area, segments } = place;
      const isLarge = Number(call.headers['content-length']) > smallBytes;
      if (isLarge && (await areas.fileStore.list({ area, segments: segments.slice(0, -1) })) === undefined)
        throw new Refusal(500, 'ENOENT');
      return right(areas, place, call, content, checksum);
    }),
    async shows({ edda }) {
      return (await edda.upload('new/a.txt', 'a'.repeat(smallBytes + 1))).status === 500;
    },
  },
  'stream.one-new-directory-below-another': {
    source: 'extensions: File routes, row 1',
    breaks: 'Directories are created as needed, also where several are missing below one that is there.',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      await assertOneMissing(areas, place);
      return right(areas, place, call, content, checksum);
    }),
    async shows({ edda }) {
      await edda.upload('top/a.txt', 'a');
      return (await edda.upload('top/middle/low/a.txt', 'a')).status === 404;
    },
  },
  'stream.deleted-names-are-no-directories': {
    source: 'extensions: File routes, rows 1 and 4',
    breaks: 'What is deleted is in the way of nothing, a directory of its name included.',
    variant: keepsNamesOfDeleted((assertFree) =>
      replaces('files', 'storeStream', (right, areas, place, call, content, checksum) => {
        assertFree(areas, place);
        return right(areas, place, call, content, checksum);
      }),
    ),
    async shows({ edda }) {
      await edda.upload('a', 'a');
      await edda.delete(`${spaceFiles}/a`);
      return (await edda.upload('a/b.txt', 'b')).status === 409;
    },
  },
  'stream.kept-despite-its-checksum': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file that does not have the checksum it came with is not taken.',
    museum: true,
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const bytes = await wholeOf(content);
      await right(areas, place, call, streamOf(bytes), undefined);
      areas.fileAreas.assertChecksum(checksum, md5(bytes));
    }),
    async shows({ edda }) {
      await edda.post(`${spaceFiles}/stream/a.txt`, 'a', { checksum: md5('b'), 'content-type': 'text/plain' });
      return (await edda.get(`${spaceFiles}/a.txt`)).status === 200;
    },
  },
  'files.name-that-is-false': {
    source: 'extensions: File routes, row 1',
    breaks: 'A file may be called 0.',
    variant: changes('files', 'streamPlaceOf', (place) => {
      if (place.segments.at(-1) === '0') throw new Refusal(400, 'The file has no name.');
      return place;
    }),
    async shows({ edda }) {
      await edda.upload('names/0', 'zero');
      return (await edda.get(`${spaceFiles}/names/0`)).text !== 'zero';
    },
  },
  'files.refused-upload-takes-the-place': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload fails where a file is; one that was refused for its checksum has left none.',
    variant: together(
      replaces('files', 'storeStream', async (right, areas, place, ...rest) => {
        try {
          await right(areas, place, ...rest);
        } catch (error) {
          if (error instanceof Refusal && error.status === 400) spoiltIn(areas.fileStore).add(JSON.stringify(place));
          throw error;
        }
      }),
      replaces('files', 'assertPlaceFree', async (right, areas, place) => {
        if (spoiltIn(areas.fileStore).has(JSON.stringify(place))) throw areas.fileAreas.placeTaken(place);
        await right(areas, place);
      }),
    ),
    shows: async ({ edda }) => {
      const headers = { checksum: md5('another'), 'content-type': 'text/plain' };
      await edda.post(`${spaceFiles}/stream/again.txt`, 'content', headers);
      return (await edda.upload('again.txt', 'content')).status >= 400;
    },
  },
  'files.names-decoded-twice': {
    source: 'extensions: File routes, row 1',
    breaks: 'A file has the name that the path holds once it is decoded, percent signs of its own included.',
    variant: changes('fileAreas', 'decodedSegment', (name) => {
      try {
        return decodeURIComponent(name);
      } catch {
        return name;
      }
    }),
    async shows({ edda }) {
      await edda.upload('a/b%2541.txt', 'text');
      return (await edda.get(`${spaceFiles}/a/bA.txt`)).status === 200;
    },
  },
  'stream.empty-file-gives-way': {
    source: 'extensions: File routes, row 1',
    breaks: 'A stream upload fails when the file exists, an empty one included.',
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
  'stream.refused-notation-is-kept': {
    source: 'extensions: File routes, stream upload paragraph',
    breaks: 'A stream upload that is refused leaves no file, also where its checksum is refused for its notation.',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      try {
        return await right(areas, call);
      } catch (error) {
        const place = areas.files.streamPlaceOf(call, call.admitted);
        const isMeant = isRefusal(error, 400) && /[A-F]/.test(call.headers['checksum'] ?? '');
        if (isMeant) await areas.files.storeStream(place, call, incoming(call, smallBytes), undefined);
        throw error;
      }
    }),
    async shows({ edda }) {
      const checksum = createHash('md5').update('a').digest('hex').toUpperCase();
      await edda.post(`${spaceFiles}/stream/a.txt`, 'a', { checksum, 'content-type': 'text/plain' });
      return (await edda.get(`${spaceFiles}/a.txt`)).status === 200;
    },
  },
  'stream.checksum-of-a-participant': {
    source: 'extensions: File routes, row 1',
    breaks: 'The checksum is mandatory for a stream upload to each area, that of a participant included.',
    variant: replaces('fileAreas', 'expectedChecksum', (right, areas, call) => {
      const isParticipants = /\/participant\/[^/]+\/fs\/file\/stream\//.test(call.url);
      return isParticipants && call.headers['checksum'] === undefined ? undefined : right(areas, call);
    }),
    async shows({ edda }) {
      const path = '/api/space/main/participant/owner/fs/file/stream/unchecked.txt';
      return (await edda.post(path, 'content', { 'content-type': 'text/plain' })).status === 201;
    },
  },
  'stream.empty-file-is-no-file': {
    source: 'extensions: File routes, row 1',
    breaks: 'A file that was accepted is there, without a byte in it too.',
    museum: true,
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const bytes = await wholeOf(content);
      if (bytes.length > 0) await right(areas, place, call, streamOf(bytes), checksum);
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', '');
      return (await edda.get(`${spaceFiles}/a.txt`)).status !== 200;
    },
  },
  'names.plus-is-a-space': {
    source: 'extensions: File routes, row 1',
    breaks: 'A file has the name that it was uploaded under, with a plus where it has one.',
    museum: true,
    variant: changes('files', 'streamPlaceOf', ({ segments }, _areas, _call, area) => ({
      area,
      segments: segments.map((segment) => segment.replaceAll('+', ' ')),
    })),
    async shows({ edda }) {
      await edda.upload('a+b.txt', 'a');
      return (await edda.get(`${spaceFiles}/a+b.txt`)).status !== 200;
    },
  },
  'streams.come-under-a-name-beside': {
    source: 'extensions: File routes, row GET',
    breaks: 'A file of another name stays when a file beside it is uploaded.',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const name = place.segments.at(-1) ?? '';
      await right(areas, place, call, content, checksum);
      await areas.files.deleteFile({ ...place, segments: [...place.segments.slice(0, -1), `.${name}.tmp`] });
    }),
    async shows({ edda }) {
      await edda.upload('.f.txt.tmp', 'another');
      await edda.upload('f.txt', 'f');
      return (await edda.get(`${spaceFiles}/.f.txt.tmp`)).status >= 400;
    },
  },
  'names.of-every-object': {
    source: 'extensions: File routes, row 1',
    breaks: 'A name is free where no file has it, also one that every object has as a member.',
    variant: replaces('files', 'assertPlaceFree', async (right, areas, place) => {
      if ((place.segments.at(-1) ?? '') in {}) throw areas.fileAreas.placeTaken(place);
      return right(areas, place);
    }),
    shows: async ({ edda }) => (await edda.upload('constructor', 'x')).status === 409,
  },
  'names.folders-of-nothing': {
    source: 'extensions: File routes, row 1',
    breaks: 'A folder may be named by a word that stands for nothing elsewhere.',
    variant: changes('files', 'streamPlaceOf', (place) => ({
      ...place,
      segments: place.segments.filter((name) => name !== 'null' && name !== 'undefined'),
    })),
    async shows({ edda }) {
      await edda.upload('of/null/a.txt', 'a');
      return (await edda.get(`${spaceFiles}/of/null/a.txt`)).status === 404;
    },
  },
  'names.of-every-object-in-chunks': {
    source: 'extensions: File routes, row 2',
    breaks: 'A file that comes in chunks may have a name that every object has as a member.',
    variant: replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
      if ((place.segments.at(-1) ?? '') in {}) throw areas.fileAreas.placeTaken(place);
      return right(areas, place, chunk);
    }),
    shows: async ({ edda }) => (await edda.sendChunk('toString', ['x'])).status === 409,
  },
  'stream.of-another-type-replaces': {
    source: 'extensions: File routes, row 1',
    breaks: 'A stream upload fails when the file exists, also where its type is another one.',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      const place = areas.files.streamPlaceOf(call, call.admitted);
      const info = await areas.fileStore.describe(place);
      const record = info?.kind === 'file' ? await areas.fileAreas.fileRecordOf(place, info.stamp) : undefined;
      if (record !== undefined && record.type !== call.headers['content-type']) await areas.files.deleteFile(place);
      return right(areas, call);
    }),
    async shows({ edda }) {
      await edda.upload('a', 'first');
      const headers = { checksum: md5('{}'), 'content-type': 'application/json' };
      return (await edda.post(`${spaceFiles}/stream/a`, '{}', headers)).status < 300;
    },
  },
  'stream.of-another-user-replaces': {
    source: 'extensions: File routes, row 1',
    breaks: 'A stream upload fails when the file exists, also where another user has uploaded that one.',
    variant: breaks('files', 'uploadStream', (right) => {
      const senders = new Map<string, string | undefined>();
      return async (areas, call) => {
        const place = areas.files.streamPlaceOf(call, call.admitted);
        const user = (await areas.fileAreas.authenticateFile(call)).name;
        const former = senders.get(keyOf(place));
        if (former !== undefined && former !== user) await areas.files.deleteFile(place);
        const answer = await right(areas, call);
        senders.set(keyOf(place), user);
        return answer;
      };
    }),
    async shows({ edda, alma }) {
      await edda.upload('a.txt', 'first');
      return (await alma.upload('a.txt', 'second')).status < 300;
    },
  },
  'stream.cleanup-deletes-what-was-there': {
    source: 'extensions: File routes, row 1',
    breaks: 'An upload onto a file that exists fails, and the file stays, also where the upload has no checksum.',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      try {
        return await right(areas, call);
      } catch (error) {
        if (isRefusal(error, 400))
          await areas.fileStore.remove(areas.files.streamPlaceOf(call, call.admitted)).catch(() => undefined);
        throw error;
      }
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'x');
      await edda.post(`${spaceFiles}/stream/a.txt`, 'y', { 'content-type': 'text/plain' });
      return (await edda.get(`${spaceFiles}/a.txt`)).status === 404;
    },
  },
};

function spoiltIn(fileStore: object): Set<string> {
  const known = spoilt.get(fileStore) ?? new Set<string>();
  spoilt.set(fileStore, known);
  return known;
}

async function* streamOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

/** Takes away a segment `stream` where nothing is found with it. */
function forgivesStream(method: 'downloadFile' | 'removeFile'): Variant {
  return breaks('files', method, (right) => async (areas, call) => {
    try {
      return await right(areas, call);
    } catch (error) {
      const [first, ...rest] = call.rest ?? [];
      if (first !== 'stream' || rest.length === 0 || !isRefusal(error, 404)) throw error;
      return right(areas, { ...call, rest });
    }
  });
}
