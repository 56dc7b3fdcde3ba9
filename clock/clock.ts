/** Time as the judged know it: a port, whose adapters alone touch global timers and Date. */
export interface Clock {
  /** Wall time, in ms since the epoch. */
  now(): number;
  /** Time that never goes back, in ms from an arbitrary start. */
  monotonic(): number;
  /** Resolves after `delayMs`. @throws the reason of `signal` when it aborts first */
  sleep(delayMs: number, options?: { readonly signal?: AbortSignal; readonly tag?: string }): Promise<void>;
}

/** Longest delay that Node keeps; a longer one would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

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

/** The next turn of the event loop, after what has arrived meanwhile. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
