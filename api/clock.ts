import { OptionError } from '../contract/option.ts';

/** A length of time; a plain number is ms. */
export type Duration =
  | number
  | {
      readonly days?: number;
      readonly hours?: number;
      readonly minutes?: number;
      readonly seconds?: number;
      readonly milliseconds?: number;
    };

/** Something that waits for its time. */
export interface Timer {
  readonly at: Date;
  /** What it is for, as `retry of …`. */
  readonly tag: string;
}

/**
 * Time that you move. A move goes from timer to timer and resolves when all that fired has come to rest, calls to other hosts included; the
 * first one stops time from running by itself.
 */
export interface MovableClock {
  /** Whether time still runs along with real time. */
  readonly isRunning: boolean;
  now(): Date;
  /** In the order in which they will fire. */
  timers(): readonly Timer[];
  /** Moves by so much. Resolves with what fired. @throws {RangeError} time does not go back, or no length of time */
  advance(by: Duration): Promise<readonly Timer[]>;
  /** Moves to that moment. Resolves with what fired. @throws {RangeError} it lies in the past */
  advanceTo(at: Date | number | string): Promise<readonly Timer[]>;
  /** Moves to the earliest timer, and fires all that are due then; without a timer nothing moves. */
  advanceToNext(): Promise<readonly Timer[]>;
  /** Lets time run along with real time again, from where it stands. */
  run(): Promise<void>;
}

interface Fired {
  readonly at: number;
  readonly tag: string;
}

/** Both the service and the extension host have a clock of that kind. */
interface OwnClock {
  readonly running: boolean;
  now(): number;
  timers(): readonly Fired[];
  advanceTo(at: number): Promise<readonly Fired[]>;
  advanceBy(delayMs: number): Promise<readonly Fired[]>;
  advanceNext(): Promise<readonly Fired[]>;
  run(): Promise<void>;
}

const msOf = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1000, milliseconds: 1 } as const;

/** @throws {Error} there is no clock that can be moved */
export function movableClock(own: OwnClock | undefined): MovableClock {
  if (own === undefined) throw new Error('Expected a clock that can be moved.');
  return {
    get isRunning() {
      return own.running;
    },
    now: () => new Date(own.now()),
    timers: () => own.timers().map(timerOf),
    advance: async (by) => (await own.advanceBy(durationMs(by))).map(timerOf),
    advanceTo: async (at) => (await own.advanceTo(instantOf(at))).map(timerOf),
    advanceToNext: async () => (await own.advanceNext()).map(timerOf),
    run: () => own.run(),
  };
}

function timerOf({ at, tag }: Fired): Timer {
  return { at: new Date(at), tag };
}

/** @throws {OptionError} no moment */
export function instantOf(moment: Date | number | string): number {
  const at = new Date(moment).getTime();
  if (!Number.isNaN(at)) return at;
  throw new OptionError(`Expected a moment for the clock, as 2027-01-31T12:00:00Z, found ${String(moment)}.`);
}

/** @throws {OptionError} no length of time */
function durationMs(duration: Duration): number {
  const ms =
    typeof duration === 'number'
      ? duration
      : Object.entries(duration).reduce((sum, [unit, value]) => sum + value * (unitMs(unit) ?? Number.NaN), 0);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw new OptionError(
    `Expected ms, or a record of days, hours, minutes, seconds and milliseconds, of 0 or more; found ${JSON.stringify(duration)}.`,
  );
}

function unitMs(unit: string): number | undefined {
  return Object.entries(msOf).find(([name]) => name === unit)?.[1];
}
