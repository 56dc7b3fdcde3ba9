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
  let now = startAt;
  let sleepers: readonly Sleeper[] = [];
  let moving: Promise<unknown> = Promise.resolve();

  const add = (sleeper: Sleeper): void => {
    const before = sleepers.filter((other) => other.at <= sleeper.at);
    sleepers = [...before, sleeper, ...sleepers.slice(before.length)];
  };
  const remove = (sleeper: Sleeper): void => {
    sleepers = sleepers.filter((other) => other !== sleeper);
  };

  /** Fires the timers of the earliest due time up to `limit`; what they start may add timers that are due before the next one. */
  const step = async (limit: number): Promise<readonly Timer[]> => {
    const at = sleepers[0]?.at;
    if (at === undefined || at > limit) return [];
    const due = sleepers.filter((sleeper) => sleeper.at === at);
    sleepers = sleepers.slice(due.length);
    now = Math.max(now, at);
    for (const sleeper of due) sleeper.wake();
    await settled();
    return due.map(({ tag }) => ({ at, tag }));
  };

  const walk = async (limit: number): Promise<readonly Timer[]> => {
    const fired: Timer[] = [];
    for (let due = await step(limit); due.length > 0; due = await step(limit)) fired.push(...due);
    now = limit;
    return fired;
  };

  /** Moves run one after another, so that two clients who advance at once never cross. */
  const move = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = moving.then(work);
    moving = turn.catch(() => undefined);
    return turn;
  };

  return {
    now: () => now,
    monotonic: () => now - startAt,
    sleep: (delayMs, { signal, tag = '' } = {}) =>
      new Promise((resolve, reject) => {
        assertDelay(delayMs);
        if (signal?.aborted) return reject(signal.reason);
        if (delayMs === 0) return resolve();
        const abort = (): void => {
          remove(sleeper);
          reject(signal?.reason);
        };
        const wake = (): void => {
          signal?.removeEventListener('abort', abort);
          resolve();
        };
        const sleeper: Sleeper = { at: now + delayMs, tag, wake };
        signal?.addEventListener('abort', abort, { once: true });
        add(sleeper);
      }),
    timers: () => sleepers.map(({ at, tag }) => ({ at, tag })),
    advanceTo: (at) => move(async () => (assertNotPast(at, now), walk(at))),
    advanceBy: (delayMs) => move(async () => (assertDelay(delayMs), walk(now + delayMs))),
    advanceNext: () => move(() => step(Infinity)),
  };
}

function assertNotPast(at: number, now: number): void {
  if (!(at >= now)) throw new RangeError(`Expected a time of ${now} ms or later, found ${at}: time does not go back.`);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
