import type { Clock } from './clock.ts';

/** Longest delay that Node keeps; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(delayMs, { signal } = {}) {
    assertDelay(delayMs);
    for (let leftMs = delayMs; leftMs > 0; leftMs -= longestTimerMs)
      await timer(Math.min(leftMs, longestTimerMs), signal);
    signal?.throwIfAborted();
  },
};

function timer(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = (): void => {
      clearTimeout(handle);
      reject(signal?.reason);
    };
    const handle = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** @throws {RangeError} a delay that is negative or no number */
export function assertDelay(delayMs: number): void {
  if (!(delayMs >= 0)) throw new RangeError(`Expected a delay of 0 ms or more, found ${delayMs}.`);
}
