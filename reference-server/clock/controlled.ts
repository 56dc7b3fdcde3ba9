import type { Clock } from './clock.ts';
import { assertDelay } from './system.ts';

/** A sleep that waits for time to be moved. */
export interface Timer {
  /** Due time, in ms since the epoch. */
  readonly at: number;
  readonly tag: string;
}

/** Time that stands still until it is told to move. Each move resolves when what it woke has settled, with the timers that fired. */
export interface ControlledClock extends Clock {
  /** Waiting timers, in the order in which they will fire. */
  timers(): readonly Timer[];
  /** @throws {RangeError} `at` lies in the past */
  advanceTo(at: number): Promise<readonly Timer[]>;
  advanceBy(delayMs: number): Promise<readonly Timer[]>;
  /** Moves to the earliest timer, firing all that are due then; without a timer nothing moves. */
  advanceNext(): Promise<readonly Timer[]>;
}

type SleepOptions = NonNullable<Parameters<Clock['sleep']>[1]>;

interface Sleeper extends Timer {
  readonly wake: () => void;
}

export interface ControlledClockOptions {
  /** Start, in ms since the epoch. */
  readonly startAt: number;
  /** Resolves when everything that a fired timer set off has come to rest; by default after one turn of the event loop. */
  readonly settled?: () => Promise<void>;
}

export function controlledClock({ startAt, settled = nextTurn }: ControlledClockOptions): ControlledClock {
  return new StandingTime(startAt, settled);
}

class StandingTime implements ControlledClock {
  readonly #startAt: number;
  readonly #settled: () => Promise<void>;
  #now: number;
  /** In the order in which they fire: by due time, those of one time as they came. */
  #sleepers: readonly Sleeper[] = [];
  #moving: Promise<unknown> = Promise.resolve();

  constructor(startAt: number, settled: () => Promise<void>) {
    this.#startAt = startAt;
    this.#settled = settled;
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#startAt;
  }

  async sleep(delayMs: number, { signal, tag = '' }: SleepOptions = {}): Promise<void> {
    assertDelay(delayMs);
    signal?.throwIfAborted();
    if (delayMs === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper: Sleeper = { at: this.#now + delayMs, tag, wake: resolve };
    const abort = (): void => reject(signal?.reason);
    this.#add(sleeper);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
    }
  }

  timers(): readonly Timer[] {
    return this.#sleepers.map(({ at, tag }) => ({ at, tag }));
  }

  advanceTo(at: number): Promise<readonly Timer[]> {
    return this.#move(() => this.#walk(at));
  }

  advanceBy(delayMs: number): Promise<readonly Timer[]> {
    return this.#move(() => this.#walk(this.#now + delayMs));
  }

  advanceNext(): Promise<readonly Timer[]> {
    return this.#move(() => this.#step(Infinity));
  }

  /** Moves run one after another, so that two clients who advance at once never cross. */
  #move<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#moving.then(work);
    this.#moving = turn.catch(() => undefined);
    return turn;
  }

  async #walk(limit: number): Promise<readonly Timer[]> {
    assertNotPast(limit, this.#now);
    const fired: Timer[] = [];
    for (let due = await this.#step(limit); due.length > 0; due = await this.#step(limit)) fired.push(...due);
    this.#now = limit;
    return fired;
  }

  /** Fires the timers of the earliest due time up to `limit`; what they start may add timers that are due before the next one. */
  async #step(limit: number): Promise<readonly Timer[]> {
    const at = this.#sleepers[0]?.at;
    if (at === undefined || at > limit) return [];
    const due = this.#sleepers.filter((sleeper) => sleeper.at === at);
    this.#sleepers = this.#sleepers.slice(due.length);
    this.#now = at;
    for (const sleeper of due) sleeper.wake();
    await this.#settled();
    return due.map(({ tag }) => ({ at, tag }));
  }

  #add(sleeper: Sleeper): void {
    const before = this.#sleepers.filter((other) => other.at <= sleeper.at);
    this.#sleepers = [...before, sleeper, ...this.#sleepers.slice(before.length)];
  }
}

function assertNotPast(at: number, now: number): void {
  if (!(at >= now)) throw new RangeError(`Expected a time of ${now} ms or later, found ${at}: time does not go back.`);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
