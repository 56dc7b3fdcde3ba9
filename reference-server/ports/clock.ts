/** Time as the reference server knows it; nothing outside the adapters touches global timers or Date. */
export interface Clock {
  /** Wall time, in ms since the epoch. */
  now(): number;
  /** Time that never goes back, in ms from an arbitrary start. */
  monotonic(): number;
  /** Resolves after `delayMs`. @throws the reason of `signal` when it aborts first */
  sleep(delayMs: number, options?: { readonly signal?: AbortSignal; readonly tag?: string }): Promise<void>;
}

const rfc3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

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

/** How long a call whose end nobody foretold is waited for, in real time, before it counts as held. */
const patienceMs = 100;

/** The same for a client that tells how many calls it holds: then it is only there against waiting for ever. */
const longPatienceMs = 2000;

/** Turns of the event loop without any activity that make a rest: what a finished call leads to takes one or two. */
const quietTurns = 4;

/** One call to the outside that is on its way. */
type OnTheWay = object;

/**
 * What goes on in a server without waiting for the clock: work of its own, and calls to other hosts. A call may be held by the host that
 * answers it, until time has passed; so it must not stop time from passing. The client who moves time says how many calls it holds; without
 * that, a call which is not answered at once counts as held.
 */
export class Activity {
  #works = 0;
  readonly #calls = new Set<OnTheWay>();
  #held = 0;
  #told = false;
  #supposed = new WeakSet<OnTheWay>();
  /** Made when somebody waits for it. */
  #change: PromiseWithResolvers<void> | undefined;

  get calls(): number {
    return this.#calls.size;
  }

  /** Calls that the client keeps open; it tells the number anew whenever it changes. */
  hold(calls: number): void {
    this.#held = calls;
    this.#told = true;
    this.#supposed = new WeakSet();
    this.#tell();
  }

  async work<T>(work: () => Promise<T>): Promise<T> {
    this.#works += 1;
    try {
      return await work();
    } finally {
      this.#works -= 1;
      this.#tell();
    }
  }

  async call<T>(call: () => Promise<T>): Promise<T> {
    const onTheWay = {};
    this.#calls.add(onTheWay);
    try {
      return await call();
    } finally {
      this.#calls.delete(onTheWay);
      this.#tell();
    }
  }

  /** Resolves when nothing goes on but what waits for time. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns;) {
      await nextTurn();
      if (this.#isQuiet()) quiet += 1;
      else {
        quiet = 0;
        await (this.#works > 0 ? this.#changed() : this.#callEnded());
      }
    }
  }

  #isQuiet(): boolean {
    const open = this.#calls.values().filter((call) => !this.#supposed.has(call));
    return this.#works === 0 && [...open].length <= this.#held;
  }

  /** Waits for any change; when none comes in time, the calls that are on their way count as held. */
  async #callEnded(): Promise<void> {
    const timer = setTimeout(() => this.#supposeHeld(), this.#told ? longPatienceMs : patienceMs);
    await this.#changed();
    clearTimeout(timer);
  }

  #changed(): Promise<void> {
    this.#change ??= Promise.withResolvers();
    return this.#change.promise;
  }

  #tell(): void {
    this.#change?.resolve();
    this.#change = undefined;
  }

  #supposeHeld(): void {
    for (const call of this.#calls) this.#supposed.add(call);
    this.#tell();
  }
}

/** RFC 3339 text, in UTC with milliseconds, of a wall time in ms since the epoch. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Whether a value is the text of a time that exists. Source: RFC 3339 section 5.6 */
export function isRfc3339(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const [, year, month, day] = rfc3339.exec(value) ?? [];
  return day !== undefined && Number(day) <= daysOf(Number(year), Number(month));
}

/** Days of a month, which counts from 1: day 0 of the next month is its last. */
function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

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
