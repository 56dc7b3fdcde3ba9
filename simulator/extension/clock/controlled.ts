import type { HostClock } from '../clock.ts';

/** A sleep that waits for its time. */
export interface Timer {
  /** Due time, in ms since the epoch. */
  readonly at: number;
  readonly tag: string;
}

interface Sleeper extends Timer {
  readonly wake: () => void;
}

/** Longest delay that Node keeps; a longer one would fire at once. */
const longestAlarmMs = 2 ** 31 - 1;

/** Real time until the first move; from then on it stands still between moves, until it is let run again. In ms since the epoch. */
export class ControlledClock implements HostClock {
  readonly #settled: () => Promise<void>;
  /** By due time, those of one time as they came. */
  readonly #sleepers: Sleeper[] = [];
  #now = Date.now();
  #running = true;
  /** How far time is ahead of real time while it runs, in ms. */
  #leadMs = 0;
  #alarm: NodeJS.Timeout | undefined;
  #moving: Promise<unknown> = Promise.resolve();

  /** @param settled resolves when nothing goes on but what waits for time */
  constructor(settled: () => Promise<void>) {
    this.#settled = settled;
  }

  get running(): boolean {
    return this.#running;
  }

  now(): number {
    if (this.#running) this.#now = Math.max(this.#now, Date.now() + this.#leadMs);
    return this.#now;
  }

  async sleep(delayMs: number, signal: AbortSignal, tag = ''): Promise<void> {
    signal.throwIfAborted();
    if (delayMs <= 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper: Sleeper = { at: this.now() + delayMs, tag, wake: resolve };
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    this.#add(sleeper);
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#remove(sleeper);
    }
  }

  /** In the order in which they will fire. */
  timers(): readonly Timer[] {
    return this.#sleepers.filter(({ at }) => at !== Infinity).map(({ at, tag }) => ({ at, tag }));
  }

  /** Resolves when everything that was due until then has fired and settled, with what fired. @throws {RangeError} `at` lies in the past */
  advanceTo(at: number): Promise<readonly Timer[]> {
    return this.#move(() => this.#walk(at));
  }

  advanceBy(delayMs: number): Promise<readonly Timer[]> {
    return this.#move(() => this.#walk(this.#now + delayMs));
  }

  /** To the earliest timer, firing all that are due then; without one nothing moves. */
  advanceNext(): Promise<readonly Timer[]> {
    return this.#move(() => this.#step(Infinity));
  }

  /** Lets time run by itself from where it stands, once the moves that were asked for are done. */
  run(): Promise<void> {
    return this.#inTurn(() => {
      if (this.#running) return;
      this.#leadMs = this.#now - Date.now();
      this.#running = true;
      this.#setAlarm();
    });
  }

  /** Real time again, as at the start, once the moves that were asked for are done. */
  reset(): Promise<void> {
    return this.#inTurn(() => {
      this.#leadMs = 0;
      this.#now = Date.now();
      this.#running = true;
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

  #stopRunning(): void {
    this.#now = this.now();
    this.#running = false;
    clearTimeout(this.#alarm);
  }

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#moving.then(work);
    this.#moving = turn.catch(() => undefined);
    return turn;
  }

  async #walk(until: number): Promise<readonly Timer[]> {
    if (!Number.isFinite(until) || until < this.#now)
      throw new RangeError(`Expected a time from ${this.#now} on, found ${until}: time never goes back.`);
    const fired: Timer[] = [];
    for (let due = await this.#step(until); due.length > 0; due = await this.#step(until)) fired.push(...due);
    this.#now = until;
    return fired;
  }

  /** Fires the timers of the earliest due time; what they start may be due before the next one. */
  async #step(until: number): Promise<readonly Timer[]> {
    const at = this.#sleepers[0]?.at;
    if (at === undefined || at > until || at === Infinity) return [];
    this.#now = Math.max(this.#now, at);
    const due = this.#wake(at);
    await this.#settled();
    return due.map(({ tag }) => ({ at, tag }));
  }

  #wake(until: number): readonly Sleeper[] {
    const after = this.#sleepers.findIndex(({ at }) => at > until);
    const due = this.#sleepers.splice(0, after === -1 ? this.#sleepers.length : after);
    for (const sleeper of due) sleeper.wake();
    return due;
  }

  #add(sleeper: Sleeper): void {
    const before = this.#sleepers.findLastIndex(({ at }) => at <= sleeper.at);
    this.#sleepers.splice(before + 1, 0, sleeper);
    if (before === -1) this.#setAlarm();
  }

  #remove(sleeper: Sleeper): void {
    const index = this.#sleepers.indexOf(sleeper);
    if (index !== -1) this.#sleepers.splice(index, 1);
    if (index === 0) this.#setAlarm();
  }

  /** Rings for the first sleeper while time runs by itself. */
  #setAlarm(): void {
    clearTimeout(this.#alarm);
    const [first] = this.#sleepers;
    if (!this.#running || first === undefined) return;
    this.#alarm = setTimeout(() => this.#ring(), Math.min(Math.max(0, first.at - this.now()), longestAlarmMs));
  }

  #ring(): void {
    if (!this.#running) return;
    this.#wake(this.now());
    this.#setAlarm();
  }
}
