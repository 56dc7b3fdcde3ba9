import { reading } from '../part.ts';
import { startTimer } from '../time/part-time.ts';

/** The value of the promise, or undefined when it takes longer than `ms`. Leaves no timer behind. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const stop = startTimer(ms, () => resolve(undefined));
  return Promise.race([promise, late]).finally(stop);
}

/** Resolves when the signal aborts. */
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

/** Runs works of the same key one after another; one that fails ends its own turn alone. */
export function openQueues(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const ends = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (ends.get(key) ?? Promise.resolve()).then(work);
    ends.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  };
}
