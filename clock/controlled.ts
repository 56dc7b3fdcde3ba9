import { type Clock, assertDelay, longestTimerMs, nextTurn } from './clock.ts';

/** A sleep that waits for its time. */
export interface Timer {
  /** Due time, in ms since the epoch. */
  readonly at: number;
  readonly tag: string;
}

/** Time that moves when it is told to. Each move resolves when what it woke has settled, with the timers that fired. */
export interface ControlledClock extends Clock {
  /** Whether time runs by itself, as real time does. It stands still from the first move on, until it is let run again. */
  readonly running: boolean;
  /** Waiting timers, in the order in which they will fire. */
  timers(): readonly Timer[];
  /** @throws {RangeError} `at` lies in the past */
  advanceTo(at: number): Promise<readonly Timer[]>;
  advanceBy(delayMs: number): Promise<readonly Timer[]>;
  /** Moves to the earliest timer, firing all that are due then; without a timer nothing moves. */
  advanceNext(): Promise<readonly Timer[]>;
  /** Lets time run by itself from where it stands, once the moves that were asked for are done. */
  run(): Promise<void>;
  /** Begins anew, once the moves that were asked for are done: the time, and whether it runs by itself, are those of the start. */
  reset(): Promise<void>;
  /** Every move waits for this, too, after each timer. Returns what takes it back. */
  settleWith(settled: () => Promise<void>): () => void;
}

interface Sleeper extends Timer {
  readonly wake: () => void;
}

class ControlledTime implements ControlledClock {
  readonly #startAt: number;
  readonly #runsAtFirst: boolean;
  readonly #settling = new Set<() => Promise<void>>();
  #now: number;
  #running: boolean;
  /** How far time is ahead of real time while it runs, in ms. */
  #leadMs = 0;
  /** Rings for the first sleeper while time runs by itself. */
  #alarm: NodeJS.Timeout | undefined;
  /** In the order in which they fire: by due time, those of one time as they came. */
  readonly #sleepers: Sleeper[] = [];
  #moving: Promise<unknown> = Promise.resolve();

  constructor(startAt: number, running: boolean) {
    this.#startAt = startAt;
    this.#now = startAt;
    this.#running = running;
    this.#runsAtFirst = running;
  }

  get running(): boolean {
    return this.#running;
  }

  now(): number {
    // real time may be set back; this one is not
    if (this.#running) this.#now = Math.max(this.#now, Date.now() + this.#leadMs);
    return this.#now;
  }

  monotonic(): number {
    return this.now() - this.#startAt;
  }

  async sleep(delayMs: number, { signal, tag = '' }: NonNullable<Parameters<Clock['sleep']>[1]> = {}): Promise<void> {
    assertDelay(delayMs);
    signal?.throwIfAborted();
    if (delayMs === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper: Sleeper = { at: this.now() + delayMs, tag, wake: resolve };
    const abort = (): void => reject(signal?.reason);
    this.#add(sleeper);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#remove(sleeper);
    }
  }

  timers(): readonly Timer[] {
    return this.#sleepers.filter(({ at }) => at !== Infinity).map(({ at, tag }) => ({ at, tag }));
  }

  settleWith(settled: () => Promise<void>): () => void {
    this.#settling.add(settled);
    return () => void this.#settling.delete(settled);
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

  run(): Promise<void> {
    return this.#inTurn(() => {
      if (this.#running) return;
      this.#leadMs = this.#now - Date.now();
      this.#running = true;
      this.#setAlarm();
    });
  }

  reset(): Promise<void> {
    return this.#inTurn(() => {
      this.#leadMs = 0;
      this.#running = this.#runsAtFirst;
      this.#now = this.#runsAtFirst ? Date.now() : this.#startAt;
      this.#setAlarm();
    });
  }

  /** What goes on already comes to rest before a move. */
  #move<T>(work: () => Promise<T>): Promise<T> {
    this.#stopRunning();
    return this.#inTurn(async () => {
      // it may have been let run by what was asked for before
      this.#stopRunning();
      await this.#settled();
      return work();
    });
  }

  /** One after another, so that two clients who advance at once never cross. */
  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#moving.then(work);
    this.#moving = turn.catch(() => undefined);
    return turn;
  }

  #stopRunning(): void {
    this.#now = this.now();
    this.#running = false;
    clearTimeout(this.#alarm);
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
    // what waits for ever is never due
    if (at === undefined || at > limit || at === Infinity) return [];
    this.#now = Math.max(this.#now, at);
    const due = this.#wake(at);
    await this.#settled();
    return due.map(({ tag }) => ({ at, tag }));
  }

  #wake(until: number): readonly Sleeper[] {
    const after = this.#sleepers.findIndex((sleeper) => sleeper.at > until);
    const due = this.#sleepers.splice(0, after < 0 ? this.#sleepers.length : after);
    for (const sleeper of due) sleeper.wake();
    return due;
  }

  async #settled(): Promise<void> {
    await nextTurn();
    await Promise.all([...this.#settling].map((settled) => settled()));
  }

  #add(sleeper: Sleeper): void {
    const before = this.#sleepers.findLastIndex((other) => other.at <= sleeper.at);
    this.#sleepers.splice(before + 1, 0, sleeper);
    if (before < 0) this.#setAlarm();
  }

  #remove(sleeper: Sleeper): void {
    const index = this.#sleepers.indexOf(sleeper);
    if (index >= 0) this.#sleepers.splice(index, 1);
    if (index === 0) this.#setAlarm();
  }

  #setAlarm(): void {
    clearTimeout(this.#alarm);
    const at = this.#sleepers[0]?.at;
    if (!this.#running || at === undefined) return;
    const delayMs = Math.min(Math.max(at - this.now(), 0), longestTimerMs);
    this.#alarm = setTimeout(() => {
      this.#wake(this.now());
      this.#setAlarm();
    }, delayMs);
  }
}

/** Whether time can be moved. */
export function isControlled(clock: Clock): clock is ControlledClock {
  return 'settleWith' in clock;
}

/** Time that stands still from the start, in ms since the epoch. */
export function controlledClock({ startAt }: { readonly startAt: number }): ControlledClock {
  return new ControlledTime(startAt, false);
}

/** Real time, until the first move takes it over. */
export function clockToTakeOver(): ControlledClock {
  return new ControlledTime(Date.now(), true);
}

function assertNotPast(at: number, now: number): void {
  if (!(at >= now && at < Infinity))
    throw new RangeError(`Expected a time of ${now} ms or later, found ${at}: time does not go back.`);
}
