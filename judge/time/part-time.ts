import { partHere, reading, runAs } from '../part.ts';

// Real time as the parts of a run live in it. What one of them decides by it is decided alike when the run is played, however fast that machine is.

/** Monotonic, in ms. */
export function readTime(): number {
  return reading('time', () => performance.now());
}

/** Calls `fire` once so many ms have passed. Returns what prevents it. */
export function startTimer(ms: number, fire: () => void): () => void {
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
