import { type Hash, createHash } from 'node:crypto';
import type { Areas } from '../../reference-server/areas.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import type { FilePlace } from '../../reference-server/ports/file-store.ts';
import { type Variant, type Variants, together, replaces } from '../breaks.ts';
import { directoryOf, isStreamUpload, keeping, keyOf, md5Of, once, whole } from './files.ts';

const md5Form = /^[0-9a-f]{32}$/;

const checksumFaults = {
  'files.stream.checksum-correct-accepted': replaces('fileAreas', 'checksumMatches', (right, areas, expected, md5) =>
    md5.startsWith('0000') ? right(areas, expected, md5.replace(/^0+/, '')) : right(areas, expected, md5),
  ),

  'files.stream.checksum-wrong-refused': notCompared((given = '', length) => md5Form.test(given) && length > 0),
  'files.stream.checksum-malformed-refused': notCompared((given) => given !== undefined && given.length !== 32),
  'files.stream.checksum-missing-refused': notCompared((given) => given === undefined),

  'files.stream.refused-leaves-no-file': replaces(
    'files',
    'storeStream',
    async (right, areas, place, call, content, checksum) => {
      const came = await whole(content);
      await right(areas, place, call, once(came), undefined);
      if (checksum !== md5Of(came)) throw new Refusal(400, 'The checksum is that of other content.');
    },
  ),
} satisfies Variants;

/** Nominal size in bytes that the sample uses. Source: extensions, Limits */
const sampleChunkSize = 4_194_304;

const largeChunk = 65_536;

const smallFile = 4096;

const smallChunk = 1000;

const chunkFaults = {
  'files.chunk.single-chunk': replaces('chunks', 'chunkPosition', (right, areas, chunk) =>
    chunk.totalChunks === 1 ? chunk.number * chunk.chunkSize : right(areas, chunk),
  ),

  'files.chunk.two-chunks': replaces('chunks', 'chunkPosition', (right, areas, chunk) =>
    chunk.totalChunks === 2 ? 0 : right(areas, chunk),
  ),

  'files.chunk.many-chunks': replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
    if (chunk.totalChunks < 10) return right(areas, chunk);
    const names = Array.from({ length: chunk.totalChunks }, (_chunk, index) => String(index + 1)).toSorted();
    return names.indexOf(String(chunk.number)) * chunk.chunkSize;
  }),

  'files.chunk.last-chunk-smaller': replaces('chunks', 'chunkContent', (right, areas, chunk) => {
    const pieces = right(areas, chunk);
    const isShort = chunk.number === chunk.totalChunks && chunk.size === 1 && chunk.chunkSize > smallChunk;
    return isShort ? [...pieces, Buffer.alloc(chunk.chunkSize - chunk.size)] : pieces;
  }),

  'files.chunk.exact-multiple': replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
    right(areas, chunk, currentSize);
    const { totalSize, chunkSize, totalChunks } = chunk;
    if (totalChunks === 2 && totalSize === 2 * chunkSize) throw new Refusal(400, 'Expected 3 chunks, found 2.');
  }),

  'files.chunk.sample-chunk-size': replaces('chunks', 'formPartsOf', async (right, areas, call) => {
    if (Number(call.headers['content-length'] ?? 0) > sampleChunkSize)
      throw new Refusal(413, 'Expected a form of at most 4 MiB.');
    return right(areas, call);
  }),

  'files.chunk.other-chunk-size': replaces('chunks', 'chunkPosition', (right, areas, chunk) =>
    chunk.chunkSize > largeChunk ? (chunk.number - 1) * sampleChunkSize : right(areas, chunk),
  ),

  'files.chunk.every-area': replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) =>
    right(areas, chunk, area.kind === 'participant' ? { kind: 'space', spaceId: area.spaceId } : area),
  ),

  'files.chunk.relative-path-subdirectories': replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
    const { segments } = right(areas, chunk, area);
    return { area, segments: segments.length > 2 ? [segments[0] ?? '', segments.at(-1) ?? ''] : segments };
  }),

  'files.chunk.relative-path-root': replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
    const place = right(areas, chunk, area);
    if (place.segments.length < 2) throw new Refusal(400, 'Expected a relative path with a directory.');
    return place;
  }),

  'files.chunk.checksum-per-chunk': comparingWholeFile(),

  'files.chunk.checksum-wrong-refused': replaces('chunks', 'assertChunkChecksum', () => undefined),

  'files.chunk.checksum-wrong-recoverable': keepingRoomOfRefused(),

  'files.chunk.interleaved-files': replaces(
    'fileAreas',
    'uploadIdOf',
    (_right, _areas, { area, segments }) => `${area.kind}/${segments.at(-1) ?? ''}`,
  ),

  'files.chunk.partial-deletable': replaces('files', 'deleteFile', async (right, areas, place) => {
    const underWay = await areas.fileAreas.uploadUnderWay(place);
    if (underWay !== undefined) throw new Refusal(409, 'Expected a whole file.');
    return right(areas, place);
  }),

  'files.chunk.restart-after-interruption': keepingFirstChunks(),

  'files.chunk.part-order': replaces('chunks', 'formPartsOf', async (right, areas, call) => {
    const parts = await right(areas, call);
    const at = parts.findIndex(({ name }) => name === 'file');
    return at === -1 ? parts : parts.slice(0, at + 1);
  }),
} satisfies Variants;

const kibibyte = 1024;

const streamFaults = {
  'files.stream.root-without-subdirectory': replaces('files', 'streamPlaceOf', (right, areas, call, area) => {
    if (call.rest?.length === 1) throw new Refusal(404, 'There is no such route.');
    return right(areas, call, area);
  }),

  'files.stream.nested-directories-created': replaces('files', 'uploadStream', async (right, areas, call) => {
    const above = directoryOf(directoryOf(areas.files.streamPlaceOf(call, call.admitted)));
    if (above.segments.length > 1 && (await areas.fileStore.describe(above)) === undefined)
      throw new Refusal(409, 'The directory is missing.');
    return right(areas, call);
  }),

  'files.stream.existing-file-refused': beforeUpload(async (areas, place, size, comes) => {
    if (size !== comes) await areas.files.deleteFile(place);
  }),

  'files.stream.existing-file-unchanged': beforeUpload(async (areas, place, size, comes) => {
    if (size > 2 * comes) await areas.fileStore.write(place, once(new Uint8Array()), { replace: true });
  }),

  'files.stream.existing-identical-refused': replaces('files', 'uploadStream', async (right, areas, call) => {
    const place = areas.files.streamPlaceOf(call, call.admitted);
    const info = await areas.fileStore.describe(place);
    const kept = info?.kind === 'file' ? await areas.fileAreas.fileRecordOf(place, info.stamp) : undefined;
    return kept?.md5 !== undefined && kept.md5 === call.headers['checksum']
      ? areas.fileAreas.createdFile(place)
      : right(areas, call);
  }),

  // each server gets a list of its own
  'files.stream.reupload-after-delete': (classes) => {
    const reserved = new Set<string>();
    return together(
      replaces('files', 'deleteFile', async (right, areas, place) => {
        const info = await areas.fileStore.describe(place);
        const record = info?.kind === 'file' ? await areas.fileAreas.fileRecordOf(place, info.stamp) : undefined;
        if (record?.type.startsWith('text/')) reserved.add(keyOf(place));
        return right(areas, place);
      }),
      replaces('files', 'assertPlaceFree', async (right, areas, place) => {
        if (reserved.has(keyOf(place))) throw areas.fileAreas.placeTaken(place);
        return right(areas, place);
      }),
    )(classes);
  },

  'files.stream.empty-file': replaces('files', 'uploadStream', async (right, areas, call) => {
    if (Number(call.headers['content-length']) === 0) throw new Refusal(400, 'Expected a body, found none.');
    return right(areas, call);
  }),

  'files.stream.one-byte-file': keeping((came) =>
    came.length === 1 && came.toString('latin1').trim() === '' ? Buffer.alloc(0) : came,
  ),

  'files.stream.guidance-size': replaces('files', 'streamLimitOf', () => 100 * kibibyte - 1),

  'files.stream.body-not-interpreted': keeping((came, call) => {
    if (!call.headers['content-type']?.includes('json')) return came;
    try {
      return Buffer.from(JSON.stringify(JSON.parse(came.toString('utf8'))));
    } catch {
      throw new Refusal(400, 'The body is no JSON.');
    }
  }),

  'files.stream.concurrent-same-name': replaces('files', 'storeStream', async (right, ...upload) => {
    await right(...upload).catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.status !== 409) throw error;
    });
  }),

  // each server gets a list of its own
  'files.stream.concurrent-new-directory': (classes) => {
    const begun = new Set<string>();
    return replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const directory = directoryOf(place);
      if (directory.segments.length < 3 || (await areas.fileStore.describe(directory)) !== undefined)
        return right(areas, place, call, content, checksum);
      if (begun.has(keyOf(directory))) throw new Refusal(409, 'The directory is there already.');
      begun.add(keyOf(directory));
      return right(areas, place, call, content, checksum);
    })(classes);
  },
} satisfies Variants;

export const uploadFaults = { ...checksumFaults, ...chunkFaults, ...streamFaults } satisfies Variants;

/** Stream uploads whose checksum header is such are taken as they come. @param skipped gets the header and the length of the body */
function notCompared(skipped: (given: string | undefined, length: number) => boolean): Variant {
  return replaces('fileAreas', 'expectedChecksum', (right, areas, call) => {
    const isSkipped = isStreamUpload(call) && skipped(call.headers['checksum'], Number(call.headers['content-length']));
    return isSkipped ? undefined : right(areas, call);
  });
}

/** The checksum of the last of three chunks has to be that of the whole file. */
function comparingWholeFile(): Variant {
  return (classes) => {
    const files = new Map<string, Hash>();
    return replaces('chunks', 'assertChunkChecksum', (right, areas, expected, chunk) => {
      right(areas, expected, chunk);
      const { relativePath, number, totalChunks, totalSize, pieces } = chunk;
      if (totalChunks !== 3 || totalSize > smallFile) return;
      const hash = (number === 1 ? undefined : files.get(relativePath)) ?? createHash('md5');
      for (const piece of pieces) hash.update(piece);
      files.set(relativePath, hash);
      if (number === totalChunks) areas.fileAreas.assertChecksum(expected, hash.copy().digest('hex'));
    })(classes);
  };
}

/** Where a chunk was refused for its checksum, the next ones stand behind the room it would have taken. */
function keepingRoomOfRefused(): Variant {
  return (classes) => {
    const refused = new Map<string, number>();
    return together(
      replaces('chunks', 'assertChunkChecksum', (right, areas, expected, chunk) => {
        try {
          right(areas, expected, chunk);
        } catch (error) {
          refused.set(chunk.relativePath, (refused.get(chunk.relativePath) ?? 0) + chunk.size);
          throw error;
        }
      }),
      replaces(
        'chunks',
        'chunkPosition',
        (right, areas, chunk) => right(areas, chunk) + (refused.get(chunk.relativePath) ?? 0),
      ),
    )(classes);
  };
}

/** The first chunk that came for a place stays the first one for good. */
function keepingFirstChunks(): Variant {
  return (classes) => {
    const kept = new Map<string, readonly Buffer[]>();
    return replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
      if (chunk.number !== 1 || chunk.totalChunks === 1) return right(areas, place, chunk);
      const pieces = kept.get(JSON.stringify(place)) ?? chunk.pieces;
      kept.set(JSON.stringify(place), pieces);
      return right(areas, place, { ...chunk, pieces });
    })(classes);
  };
}

/** Something is done to a file that is there before an upload to its path. @param act gets the length of the file, and that of what comes */
function beforeUpload(act: (areas: Areas, place: FilePlace, size: number, comes: number) => Promise<void>): Variant {
  return replaces('files', 'uploadStream', async (right, areas, call) => {
    const place = areas.files.streamPlaceOf(call, call.admitted);
    const info = await areas.fileStore.describe(place);
    if (info?.kind === 'file') await act(areas, place, info.size, Number(call.headers['content-length']));
    return right(areas, call);
  });
}
