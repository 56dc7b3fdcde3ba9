import { createHash, type Hash } from 'node:crypto';
import { Refusal } from '../../problem.ts';
import { replacing, together, type Fault } from '../fault.ts';

/** Nominal size in bytes that the sample uses. Source: extensions, Limits */
const sampleChunkSize = 4_194_304;
const largeChunk = 65_536;
const smallFile = 4096;
const smallChunk = 1000;

export const chunkFaults = {
  'files.chunk.single-chunk': replacing(
    'chunkPosition',
    (right) => (chunk) => (chunk.totalChunks === 1 ? chunk.number * chunk.chunkSize : right(chunk)),
  ),

  'files.chunk.two-chunks': replacing(
    'chunkPosition',
    (right) => (chunk) => (chunk.totalChunks === 2 ? 0 : right(chunk)),
  ),

  'files.chunk.many-chunks': replacing('chunkPosition', (right) => (chunk) => {
    if (chunk.totalChunks < 10) return right(chunk);
    const names = Array.from({ length: chunk.totalChunks }, (_chunk, index) => String(index + 1)).toSorted();
    return names.indexOf(String(chunk.number)) * chunk.chunkSize;
  }),

  'files.chunk.last-chunk-smaller': replacing('chunkContent', (right) => (chunk) => {
    const pieces = right(chunk);
    const isShort = chunk.number === chunk.totalChunks && chunk.size === 1 && chunk.chunkSize > smallChunk;
    return isShort ? [...pieces, Buffer.alloc(chunk.chunkSize - chunk.size)] : pieces;
  }),

  'files.chunk.exact-multiple': replacing('assertChunk', (right) => (service, chunk, currentSize) => {
    right(service, chunk, currentSize);
    const { totalSize, chunkSize, totalChunks } = chunk;
    if (totalChunks === 2 && totalSize === 2 * chunkSize) throw new Refusal(400, 'Expected 3 chunks, found 2.');
  }),

  'files.chunk.sample-chunk-size': replacing('formPartsOf', (right) => async (service, call) => {
    if (Number(call.headers['content-length'] ?? 0) > sampleChunkSize)
      throw new Refusal(413, 'Expected a form of at most 4 MiB.');
    return right(service, call);
  }),

  'files.chunk.other-chunk-size': replacing(
    'chunkPosition',
    (right) => (chunk) => (chunk.chunkSize > largeChunk ? (chunk.number - 1) * sampleChunkSize : right(chunk)),
  ),

  'files.chunk.every-area': replacing(
    'chunkPlaceOf',
    (right) => (service, chunk, area) =>
      right(service, chunk, area.kind === 'participant' ? { kind: 'space', spaceId: area.spaceId } : area),
  ),

  'files.chunk.relative-path-subdirectories': replacing('chunkPlaceOf', (right) => (service, chunk, area) => {
    const { segments } = right(service, chunk, area);
    return { area, segments: segments.length > 2 ? [segments[0] ?? '', segments.at(-1) ?? ''] : segments };
  }),

  'files.chunk.relative-path-root': replacing('chunkPlaceOf', (right) => (service, chunk, area) => {
    const place = right(service, chunk, area);
    if (place.segments.length < 2) throw new Refusal(400, 'Expected a relative path with a directory.');
    return place;
  }),

  'files.chunk.checksum-per-chunk': comparingWholeFile(),

  'files.chunk.checksum-wrong-refused': replacing('assertChunkChecksum', () => () => undefined),

  'files.chunk.checksum-wrong-recoverable': keepingRoomOfRefused(),

  'files.chunk.interleaved-files': replacing(
    'uploadIdOf',
    () =>
      ({ area, segments }) =>
        `${area.kind}/${segments.at(-1) ?? ''}`,
  ),

  'files.chunk.partial-deletable': replacing('deleteFile', (right) => async (service, place) => {
    const underWay = await service.behaviours.uploadUnderWay(service, place);
    if (underWay !== undefined) throw new Refusal(409, 'Expected a whole file.');
    return right(service, place);
  }),

  'files.chunk.restart-after-interruption': keepingFirstChunks(),

  'files.chunk.part-order': replacing('formPartsOf', (right) => async (service, call) => {
    const parts = await right(service, call);
    const at = parts.findIndex(({ name }) => name === 'file');
    return at === -1 ? parts : parts.slice(0, at + 1);
  }),
} satisfies Readonly<Record<string, Fault>>;

/** The checksum of the last of three chunks has to be that of the whole file. */
function comparingWholeFile(): Fault {
  return (behaviours) => {
    const files = new Map<string, Hash>();
    return replacing('assertChunkChecksum', (right) => (service, expected, chunk) => {
      right(service, expected, chunk);
      const { relativePath, number, totalChunks, totalSize, pieces } = chunk;
      if (totalChunks !== 3 || totalSize > smallFile) return;
      const hash = (number === 1 ? undefined : files.get(relativePath)) ?? createHash('md5');
      for (const piece of pieces) hash.update(piece);
      files.set(relativePath, hash);
      if (number === totalChunks) service.behaviours.assertChecksum(service, expected, hash.copy().digest('hex'));
    })(behaviours);
  };
}

/** Where a chunk was refused for its checksum, the next ones stand behind the room it would have taken. */
function keepingRoomOfRefused(): Fault {
  return (behaviours) => {
    const refused = new Map<string, number>();
    return together(
      replacing('assertChunkChecksum', (right) => (service, expected, chunk) => {
        try {
          right(service, expected, chunk);
        } catch (error) {
          refused.set(chunk.relativePath, (refused.get(chunk.relativePath) ?? 0) + chunk.size);
          throw error;
        }
      }),
      replacing('chunkPosition', (right) => (chunk) => right(chunk) + (refused.get(chunk.relativePath) ?? 0)),
    )(behaviours);
  };
}

/** The first chunk that came for a place stays the first one for good. */
function keepingFirstChunks(): Fault {
  return (behaviours) => {
    const kept = new Map<string, readonly Buffer[]>();
    return replacing('storeChunk', (right) => async (service, place, chunk) => {
      if (chunk.number !== 1 || chunk.totalChunks === 1) return right(service, place, chunk);
      const pieces = kept.get(JSON.stringify(place)) ?? chunk.pieces;
      kept.set(JSON.stringify(place), pieces);
      return right(service, place, { ...chunk, pieces });
    })(behaviours);
  };
}
