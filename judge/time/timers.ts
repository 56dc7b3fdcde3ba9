interface Timer {
  readonly at: number;
  readonly wake: () => void;
}

/** Sleeps that wait until they are woken. */
export class Timers {
  readonly #timers = new Set<Timer>();

  /** Due time of the earliest; Infinity without any. */
  next(): number {
    return [...this.#timers].reduce((least, { at }) => Math.min(least, at), Infinity);
  }

  /** Resolves when it is woken at that time or later. @throws the reason of the signal when it aborts first */
  async sleep(at: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = { at, wake: resolve };
    const abort = (): void => reject(signal.reason);
    this.#timers.add(timer);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#timers.delete(timer);
    }
  }

  /** Wakes what is due by then, in the order of the due times. */
  wake(now: number): void {
    const due = [...this.#timers].filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
    for (const timer of due) timer.wake();
  }
}
