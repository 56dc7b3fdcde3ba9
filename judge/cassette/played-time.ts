import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';

type Callback = (...values: unknown[]) => void;

/** Something that happens at a time of the thread. */
interface Event {
  readonly at: number;
  readonly order: number;
  /** Undefined once it is not to happen any more. */
  fire: (() => void) | undefined;
}

const realTurn = timers.setImmediate;

/**
 * The time of this thread while a run is played: it stands still while anything can be done, and jumps to what happens next. All that reads
 * the clock of the machine or waits by it lives in it, so that no case can be in another one.
 */
export class PlayedTime {
  readonly #events: Event[] = [];
  #now: number;
  #order = 0;
  #isAwake = false;

  /** Takes the place of the clock and the timers of this thread. @param wallOrigin ms since the epoch at 0 */
  constructor(startsAt: number, wallOrigin: number) {
    this.#now = startsAt;
    performance.now = () => this.#now;
    Date.now = () => Math.round(wallOrigin + this.#now);
    const setTimer =
      (again: boolean) =>
      (callback: Callback, ms?: number, ...values: unknown[]) =>
        this.#timer(callback, ms, values, again);
    Object.assign(globalThis, {
      setTimeout: setTimer(false),
      setInterval: setTimer(true),
      clearTimeout: clear,
      clearInterval: clear,
    });
    Object.assign(timersPromises, { setTimeout: this.#sleep.bind(this) });
    syncBuiltinESMExports();
  }

  get now(): number {
    return this.#now;
  }

  /** Lets something happen at that time, or at once where it is over. Returns what prevents it. */
  at(time: number, fire: () => void): () => void {
    this.#order += 1;
    const event: Event = { at: time, order: this.#order, fire };
    push(this.#events, event);
    if (!this.#isAwake) void this.#run();
    return () => {
      event.fire = undefined;
    };
  }

  /** One event after the other, each when all that the one before led to has come to rest. */
  async #run(): Promise<void> {
    this.#isAwake = true;
    for (;;) {
      await new Promise<void>((resolve) => void realTurn(resolve));
      const event = pop(this.#events);
      if (event === undefined) break;
      if (event.fire === undefined) continue;
      this.#now = Math.max(this.#now, event.at);
      event.fire();
    }
    this.#isAwake = false;
  }

  #timer(callback: Callback, ms = 0, values: readonly unknown[] = [], again = false): PlayedTimer {
    const timer = new PlayedTimer();
    const begin = (): void => {
      timer.cancel = this.at(this.#now + Math.max(1, ms || 0), () => {
        if (again) begin();
        callback(...values);
      });
    };
    begin();
    return timer;
  }

  #sleep<T>(ms: number, value?: T, { signal }: { readonly signal?: AbortSignal } = {}): Promise<T | undefined> {
    if (signal?.aborted === true) return Promise.reject(abortError(signal));
    return new Promise((resolve, reject) => {
      const cancel = this.at(this.#now + Math.max(1, ms || 0), () => {
        signal?.removeEventListener('abort', abort);
        resolve(value);
      });
      const abort = (): void => {
        cancel();
        if (signal !== undefined) reject(abortError(signal));
      };
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}

/** As much of a timer as is used of one. */
class PlayedTimer {
  cancel: () => void = () => undefined;

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

function clear(timer: unknown): void {
  if (timer instanceof PlayedTimer) timer.cancel();
  else timers.clearTimeout(timer as NodeJS.Timeout | undefined);
}

function abortError(signal: AbortSignal): Error {
  return new DOMException('The operation was aborted', { name: 'AbortError', cause: signal.reason });
}

/** A heap: the earliest first, and of those at one time the one that was told first. */
function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || isBefore(parent, event)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = event;
}

function pop(heap: Event[]): Event | undefined {
  const [first] = heap;
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    const below = lesserBelow(heap, at);
    const child = below === undefined ? undefined : heap[below];
    if (below === undefined || child === undefined || isBefore(last, child)) break;
    heap[at] = child;
    at = below;
  }
  heap[at] = last;
  return first;
}

function lesserBelow(heap: readonly Event[], at: number): number | undefined {
  const [left, right] = [2 * at + 1, 2 * at + 2];
  const [one, other] = [heap[left], heap[right]];
  if (one === undefined) return undefined;
  return other !== undefined && isBefore(other, one) ? right : left;
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
