/** Pauses of all journeys of a load, which end at once when it does. To listen to the signal for each of them costs more than its timer. */
export class Waits {
  readonly #signal: AbortSignal;
  readonly #waiting = new Map<NodeJS.Timeout, () => void>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#end(), { once: true });
  }

  /** Calls back after so long, or when the load is over; never before it returns. */
  begin(ms: number, done: () => void): void {
    if (this.#signal.aborted) return queueMicrotask(done);
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      done();
    }, ms);
    this.#waiting.set(timer, done);
  }

  #end(): void {
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const [timer, done] of all) {
      clearTimeout(timer);
      done();
    }
  }
}
