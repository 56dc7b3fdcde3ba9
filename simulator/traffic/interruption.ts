/**
 * What the work comes to, or undefined as soon as the signal aborts. The work itself is not ended by that.
 * @param dropped takes what the work comes to when it is too late
 */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  dropped?: (value: T) => unknown,
): Promise<T | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const stop = (): void => {
    aborted.resolve(undefined);
    work.then(dropped).catch(() => undefined);
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Whether the work ended within that time, in ms. */
export async function isDoneWithin(ms: number, work: PromiseLike<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), promise]);
  } finally {
    clearTimeout(timer);
  }
}
