import type { HostClock } from './clock.ts';

/** Something took longer than it may. */
export class OutOfTimeError extends Error {
  readonly code = 'OUT_OF_TIME';
}

/** Gives the work a signal that aborts after `delayMs` of the clock, or with `signal`. `tag` says what may last so long. @throws {OutOfTimeError} as the reason of that signal */
export async function within<T>(
  clock: HostClock,
  delayMs: number,
  signal: AbortSignal,
  tag: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [late, done] = [new AbortController(), new AbortController()];
  const expiry = clock.sleep(delayMs, AbortSignal.any([done.signal, signal]), tag);
  expiry.then(
    () => late.abort(new OutOfTimeError(`${tag} lasted longer than ${Math.round(delayMs)} ms`)),
    () => undefined,
  );
  try {
    return await work(AbortSignal.any([late.signal, signal]));
  } finally {
    done.abort();
  }
}

/** Rejects with the reason of the signal when it aborts; waits for ever else. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
