import { partHere, reading, runAs } from '../case/part.ts';

// Real time as the parts of a run live in it. What one of them decides by it is decided alike when the run is played, however fast that machine is.

/** Monotonic, in ms. */
export function readTime(): number {
  return reading('time', () => performance.now());
}

/** Calls `fire` once so many ms have passed. Returns what prevents it. */
function startTimer(ms: number, fire: () => void): () => void {
  const part = partHere();
  if (part.asides !== undefined) return part.asides.timer(part.name, ms, () => runAs(part, fire));
  const timer = setTimeout(fire, ms);
  return () => clearTimeout(timer);
}

/** @param signal ends it early, with its reason */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = startTimer(ms, resolve);
  const abort = (): void => {
    stop();
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', abort, { once: true });
  await promise.finally(() => signal?.removeEventListener('abort', abort));
}

/** The value of the promise, or undefined when it takes longer than `ms`. Leaves no timer behind. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const stop = startTimer(ms, () => resolve(undefined));
  return Promise.race([promise, late]).finally(stop);
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Calls `onOver` when the limit has passed, and whatever time does not count besides. Returns what ends the watch. */
export function startDeadline(limitMs: number, uncountedMs: () => number, onOver: () => void): () => void {
  const startedAt = performance.now();
  let stop = (): void => undefined;
  const look = (): void => {
    const leftMs = reading('time left', () => limitMs + uncountedMs() - (performance.now() - startedAt));
    if (leftMs > 0) stop = startTimer(Math.ceil(leftMs), look);
    else onOver();
  };
  look();
  return () => stop();
}
