import { AsyncLocalStorage } from 'node:async_hooks';
import { type HostClock, machineClock } from '../../simulator/extension/clock.ts';
import { within } from './real-time.ts';

/** A listener under whose requests time does not pass. */
export interface Watched {
  /** Requests being answered, without those that are held back. */
  readonly busy: number;
  /** Requests that are held back. */
  readonly held: number;
  /** Told whenever that number changes. */
  heldChanged: (held: number) => void;
  /** Told the object of a call for whose end a user waits, before it is answered. */
  calledAbout?: (objectId: string) => void;
}

/** What keeps a span of time from showing anything. */
export interface Kept {
  /** How much of it this machine did not let the suite go on, in ms. */
  readonly stalledMs: number;
  /** The longest time that the service took for the simplest request in it, in ms. */
  readonly slowMs: number;
}

/** The time in which the service, and everything that waits for it, lives: one for all cases of a run. Times in ms. */
export interface TimeKeeper extends HostClock {
  /** Whether the suite moves the clock of the service. */
  readonly controlled: boolean;
  /** Whether time goes on only while somebody takes part. */
  readonly standsStill?: boolean;
  /** What it read at a moment of this machine, in ms of `performance.now`; that moment where it is not moved. */
  at?(moment: number): number;
  /** Has to resolve before the first reading. @throws {PreconditionFailed} the clock cannot be read */
  begin(): Promise<void>;
  /** Time does not move while a request is being answered there. */
  watch(listener: Watched): void;
  /** A case that waits for time to pass takes part from here on, or as a guest. The signal ends what it waits for. */
  join(signal: AbortSignal, options?: JoinOptions): Promise<Participant>;
  /** Does not move while that runs, whoever waits for it, where the suite moves it. */
  still?<T>(run: () => Promise<T>): Promise<T>;
  /** How well time was kept in that span. */
  keptBetween(from: number, to: number): Kept;
  /** Real time so far that orders to the clock were on their way, where it is moved: on a slow way most of what a schedule takes, and no part of the limit of its case. */
  readonly orderedMs?: number;
  /** Real time so far in which it could not be moved, because a request or a call was under way, or somebody had not come to wait. */
  readonly heldUpMs?: number;
  /** Where it was moved and nobody takes part any more it goes on by itself, until somebody does again. */
  letGoOn?(): Promise<void>;
  close(): Promise<void>;
}

export interface JoinOptions {
  /**
   * Whether it only waits for what did not come in real time: others go on beside it, whose requests keep time from moving. What sleeps
   * meanwhile sleeps no longer than in real time, as such a request may wait for that.
   */
  readonly isGuest?: boolean;
}

/** Told what happens to a time, where a run is recorded. */
export interface TimeLog {
  /** It is now so late, and goes on by itself or not. */
  set(now: number, goesOn: boolean): void;
  /** What is due by then is woken. */
  wake(now: number): void;
  /** The service was asked for something that costs it nothing. */
  asked(asked: Asked): void;
}

/** When something was asked and answered, in ms of the machine. */
export interface Asked {
  readonly from: number;
  /** Infinity while the answer is not there. */
  to: number;
}

/** What tells how far this machine let the suite go on. */
export interface Machine {
  /** Begins to watch, unless it does already. */
  start(): void;
  /** How much time was lost in the span, in ms of `performance.now`. */
  stalledMs(from: number, to: number): number;
  stop(): void;
}

/** A span in which this machine did not let a thread go on, in ms of `performance.now`. */
export interface Stall {
  readonly from: number;
  readonly to: number;
  /** How much of it was lost. */
  readonly ms: number;
}

/** How much time was lost in the span, in ms. */
export function lostIn(stalls: readonly Stall[], from: number, to: number): number {
  return stalls.reduce((sum, stall) => {
    const shared = Math.min(to, stall.to) - Math.max(from, stall.from);
    return sum + Math.max(0, Math.min(stall.ms, shared));
  }, 0);
}

/** A case whose steps time has to wait for: it moves only while every participant waits. */
export interface Participant {
  /** Waits for the promise, at most so long: undefined when that time passed first. */
  until<T>(promise: Promise<T>, withinMs: number): Promise<T | undefined>;
  /** Time may pass while that runs. */
  through<T>(run: () => Promise<T>): Promise<T>;
  /** Begins something during which time may pass, as often as the case waits for anything. */
  beside<T>(run: () => Promise<T>): Promise<T>;
  leave(): void;
}

/** Takes part in real time, which passes whoever waits for it. */
export function takePartInRealTime(leave: () => void = () => undefined): Participant {
  return {
    until: (promise, withinMs) => within(withinMs, promise),
    through: (run) => run(),
    beside: (run) => run(),
    leave,
  };
}

/** Waits for the promise, at most as long as a sleep in the time of the service takes: undefined when that was over first. */
export function untilSlept<T>(
  promise: Promise<T>,
  sleep: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const over = new AbortController();
  const late = sleep(AbortSignal.any([over.signal, signal])).then(() => undefined);
  late.catch(() => undefined);
  return Promise.race([promise, late]).finally(() => over.abort(new Error('it came in time')));
}

/** How often it is looked whether somebody takes part, in ms of real time. */
const lookMs = 50;

/**
 * Sleeps in a time that stands still, which goes on for nobody while nobody takes part but guests: so much real time in which that is so ends the sleep as well.
 * @param isAttended whether anybody who is no guest takes part
 * @throws the reason of the signal when it aborts first
 */
export async function sleepBeside(
  delayMs: number,
  sleep: (signal: AbortSignal) => Promise<void>,
  isAttended: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([over.signal, signal]);
  const unattended = passUnattended(delayMs, isAttended, either);
  unattended.catch(() => undefined);
  const slept = sleep(either);
  slept.catch(() => undefined);
  await Promise.race([slept, unattended]).finally(() => over.abort(new Error('it is over')));
}

async function passUnattended(delayMs: number, isAttended: () => boolean, signal: AbortSignal): Promise<void> {
  let since = performance.now();
  for (let left = delayMs; left > 0; left = since + delayMs - performance.now()) {
    await machineClock.sleep(Math.min(left, lookMs), signal);
    if (isAttended()) since = performance.now();
  }
}

/** Real time in which a request during which time may pass gets to where it waits for that, in ms: so much, and what other answers take at that time. */
const underWay = { leastMs: 250, answers: 4, mostMs: 2000 } as const;

/** Answers by which it is known how fast the service is just now. */
const lastAnswers = 20;

/**
 * So long may nobody be answered while a request waits for time to pass, in ms of real time: a service that lets nobody else in until that
 * one is over would be waited for in vain. Longer where the service is not known as one, as a machine may stand still.
 */
const lockedOutMs = { known: 3000, unknown: 10_000 } as const;

/** Requests under way for which time has to wait. */
export class Holding {
  #count = 0;
  /** Requests under way during which time may pass. */
  #passing = 0;
  /** Since when nobody was answered of those that are under way; monotonic, in ms. */
  #stillSince = performance.now();
  readonly #answeredInMs: number[] = [];

  get count(): number {
    return this.#count;
  }

  /**
   * Whether all that are under way seem to wait for one during which time may pass: without that they would not go on.
   * @param isKnown whether the service is known to let nobody in meanwhile
   */
  isLockedOut(isKnown: boolean): boolean {
    const afterMs = isKnown ? lockedOutMs.known : lockedOutMs.unknown;
    return this.#count > 0 && this.#passing > 0 && performance.now() - this.#stillSince > afterMs;
  }

  /**
   * Time has to wait until what is returned is called; for a request during which it may pass, until that is well under way, or a call about
   * its object has come. Such a one is not sent during a move: what it sets off before that is over would seem to come later than it does.
   * @param letGo called then
   */
  async begin(url: string, letGo: () => void = () => undefined): Promise<() => void> {
    let holds = true;
    if (this.#count === 0) this.#stillSince = performance.now();
    this.#count += 1;
    const end = (): void => {
      if (holds) this.#count -= 1;
      holds = false;
    };
    const passing = marks.getStore();
    if (passing === undefined) return this.#timed(end);
    await passing.moved();
    this.#passing += 1;
    const goOn = (): void => {
      if (holds) letGo();
      end();
    };
    setTimeout(goOn, this.#underWayMs()).unref();
    const forget = passing.onCall(url, goOn);
    return () => {
      this.#passing -= 1;
      this.#stillSince = performance.now();
      forget();
      end();
    };
  }

  #timed(end: () => void): () => void {
    const from = performance.now();
    return () => {
      this.#stillSince = performance.now();
      this.#answeredInMs.push(this.#stillSince - from);
      if (this.#answeredInMs.length > lastAnswers) this.#answeredInMs.shift();
      end();
    };
  }

  #underWayMs(): number {
    const { leastMs, answers, mostMs } = underWay;
    return Math.min(mostMs, leastMs + answers * Math.max(0, ...this.#answeredInMs));
  }

  /** What a request during which time may pass waits for before it is sent: time has to wait for it as well. */
  async before<T>(wait: Promise<T>): Promise<T> {
    if (!mayTimePass()) return wait;
    this.#count += 1;
    return wait.finally(() => {
      this.#count -= 1;
    });
  }
}

/** Time that may pass during requests. */
interface Passing {
  /** Resolves when the move that is under way, if any, is over. */
  readonly moved: () => Promise<unknown>;
  /** Calls back when somebody is called about an object of that address, until what is returned is called. */
  readonly onCall: (url: string, goOn: () => void) => () => void;
}

const atOnce: Passing = { moved: async () => undefined, onCall: () => () => undefined };

const marks = new AsyncLocalStorage<Passing>();

/** Runs something during which time may pass: the requests that it sends do not hold time back. */
export function letTimePass<T>(run: () => Promise<T>, passing = atOnce): Promise<T> {
  return marks.run(passing, run);
}

/** Whether time may pass while the current step is under way. */
export function mayTimePass(): boolean {
  return marks.getStore() !== undefined;
}
