import type { Service } from '../../service.ts';
import { refused, type Chunk } from './parts.ts';

/** Longest chunk, in bytes. Source: ledger chunk-size-bounds */
const chunkLimitBytes = 16 * 1024 * 1024;
/** The most chunks that a file is sent in, so that what is known of an upload under way stays small. */
export const totalChunksLimit = 100_000;

export function chunkLimitOf(): number {
  return chunkLimitBytes;
}

/** Lets a chunk pass whose numbers fit each other and its bytes. Source: extensions, File routes, chunk table; ledger chunk-empty-file. @throws {Refusal} 400, 413 */
export function assertChunk(service: Service, chunk: Chunk, currentSize: number): void {
  const { totalSize, number, chunkSize, totalChunks } = chunk;
  const limitBytes = service.behaviours.chunkLimitOf();
  if (chunkSize < 1) throw refused('resumableChunkSize', 'Expected at least 1 as part', `found ${chunkSize}`);
  if (chunkSize > limitBytes) throw tooLarge('resumableChunkSize', limitBytes, chunkSize);
  if (totalChunks > totalChunksLimit) throw tooLarge('resumableTotalChunks', totalChunksLimit, totalChunks);
  const needed = chunksNeeded(chunk);
  if (totalChunks !== needed)
    throw refused(
      'resumableTotalChunks',
      `Expected ${needed} for ${totalSize} bytes in chunks of ${chunkSize} as part`,
      `found ${totalChunks}`,
    );
  if (number < 1 || number > totalChunks)
    throw refused('resumableChunkNumber', `Expected 1 to ${totalChunks} as part`, `found ${number}`);
  const expected = sizeOfChunk(chunk);
  if (currentSize !== expected)
    throw refused('resumableCurrentChunkSize', `Expected ${expected} for this chunk as part`, `found ${currentSize}`);
  if (chunk.size !== expected) throw refused('file', `Expected ${expected} bytes in the part`, `found ${chunk.size}`);
}

/** An empty file comes as one chunk without bytes. */
function chunksNeeded({ totalSize, chunkSize }: Chunk): number {
  return Math.max(1, Math.ceil(totalSize / chunkSize));
}

function sizeOfChunk({ totalSize, number, chunkSize, totalChunks }: Chunk): number {
  return number < totalChunks ? chunkSize : totalSize - (totalChunks - 1) * chunkSize;
}

function tooLarge(name: string, limit: number, found: number): Error {
  return refused(name, `Expected at most ${limit} as part`, `found ${found}`);
}
