import type { Chunk } from './parts.ts';

/** What is known of an upload under way. */
export interface Progress {
  readonly totalSize: number;
  readonly chunkSize: number;
  readonly totalChunks: number;
  readonly type: string;
  /** Numbers of the chunks that came, as ranges [first, last] in order, no two of them touching. */
  readonly received: readonly NumberRange[];
}

export type NumberRange = readonly [first: number, last: number];

export function begunWith({ totalSize, chunkSize, totalChunks, type }: Chunk): Progress {
  return { totalSize, chunkSize, totalChunks, type, received: [] };
}

/** Whether the chunk is one of this upload. */
export function isOf(progress: Progress, chunk: Chunk): boolean {
  const { totalSize, chunkSize, totalChunks } = progress;
  return totalSize === chunk.totalSize && chunkSize === chunk.chunkSize && totalChunks === chunk.totalChunks;
}

/** With one more chunk; one that came before changes nothing. */
export function withChunk(progress: Progress, number: number): Progress {
  const before = progress.received.filter(([, last]) => last < number - 1);
  const after = progress.received.filter(([first]) => first > number + 1);
  const touching = progress.received.filter(([first, last]) => first <= number + 1 && last >= number - 1);
  const first = Math.min(number, ...touching.map(([first]) => first));
  const last = Math.max(number, ...touching.map(([, last]) => last));
  return { ...progress, received: [...before, [first, last], ...after] };
}

/** Whether every chunk came. */
export function uploadComplete({ received, totalChunks }: Progress): boolean {
  const [range, ...more] = received;
  return range !== undefined && more.length === 0 && range[0] === 1 && range[1] === totalChunks;
}
