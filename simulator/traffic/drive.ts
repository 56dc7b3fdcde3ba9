import { messageOf } from '../../contract/thrown.ts';
import { pausesOf, randomFrom } from './chance.ts';
import type { EngineSetup, TrafficExchange, TrafficObserver } from './engine.ts';
import type { JourneyEnv } from './journey.ts';
import { journeyNamed } from './own-journeys.ts';
import { isAcceptedStatus, noAnswer } from './results.ts';
import type { HttpStep, Result, Step } from './step.ts';
import type { Waits } from './waits.ts';

/** How a step went; `dueAt` and the journey are filled in by whoever drives. */
export type Sent = Pick<TrafficExchange, 'result' | 'sentAt' | 'endedAt' | 'error'>;
export type Send = (step: HttpStep) => Promise<Sent>;
/** The same for whoever makes so many requests that promises count. `done` is never called before it returns. */
export type Begin = (step: HttpStep, done: (sent: Sent) => void) => void;

export interface Turn {
  readonly name: string;
  readonly user: number;
  readonly iteration: number;
  /** When it was to begin. */
  readonly dueAt: number;
}

/** What journeys live in, for an engine of this process. */
export function envOf(
  { ground, seed }: Pick<EngineSetup, 'ground' | 'seed'>,
  user: number,
  iteration: number,
): JourneyEnv {
  return { user, iteration, ground, now: () => performance.now(), random: randomFrom(seed, user, iteration, 1) };
}

export interface DriveParts {
  readonly setup: EngineSetup;
  readonly begin: Begin;
  readonly observer: TrafficObserver;
  readonly waits: Waits;
  /** Called once; with what a journey or an observer threw. */
  readonly ended: (failure?: unknown) => void;
}

/** Drives one journey from its beginning to its end. When the run is over before, it is told as little of as if it had not begun. */
export function drive(turn: Turn, parts: DriveParts): void {
  new Drive(turn, parts).proceed(noAnswer);
}

class Drive {
  readonly #turn: Turn;
  readonly #parts: DriveParts;
  readonly #steps: Generator<Step, void, Result>;
  readonly #pause: () => number;
  #dueAt: number;
  #isWhole = true;

  constructor(turn: Turn, parts: DriveParts) {
    const { name, user, iteration, dueAt } = turn;
    const env = envOf(parts.setup, user, iteration);
    this.#turn = turn;
    this.#parts = parts;
    this.#pause = pausesOf(parts.setup.mix, name, env.random);
    this.#steps = journeyNamed(name, parts.setup.own)(env);
    this.#dueAt = dueAt;
  }

  proceed(result: Result): void {
    try {
      this.#proceed(result);
    } catch (error) {
      this.#parts.ended(error);
    }
  }

  #proceed(result: Result): void {
    const { setup, begin, observer, ended } = this.#parts;
    let next = this.#steps.next(result);
    while (next.done !== true && !setup.signal.aborted) {
      const step = next.value;
      if (step.kind === 'http') return begin(step, (sent) => this.#takeAnswer(step, sent));
      if (step.kind === 'think') return this.#waitFor(step.ms, noAnswer);
      observer.check(step, this.#of());
      next = this.#steps.next(noAnswer);
    }
    if (next.done === true) observer.journeyEnded(this.#turn.name, this.#isWhole, this.#turn);
    ended();
  }

  #of(): { readonly journey: string; readonly user: number; readonly iteration: number } {
    const { name: journey, user, iteration } = this.#turn;
    return { journey, user, iteration };
  }

  #takeAnswer(step: HttpStep, { result, sentAt, endedAt, error }: Sent): void {
    const { setup, observer, ended } = this.#parts;
    const { name: journey, user, iteration } = this.#turn;
    const told: TrafficExchange = { journey, user, iteration, step, result, dueAt: this.#dueAt, sentAt, endedAt };
    const cutOff = error !== undefined && setup.signal.aborted;
    const exchange = error === undefined ? told : { ...told, error, ...(cutOff && { cutOff }) };
    try {
      this.#isWhole &&= isAccepted(exchange);
      observer.exchange(exchange);
    } catch (failure) {
      return ended(failure);
    }
    if (cutOff) return ended();
    const pauseMs = this.#pause();
    if (pauseMs > 0) return this.#waitFor(pauseMs, result);
    // a timer that rings late is no lateness of the service
    this.#dueAt = performance.now();
    this.proceed(result);
  }

  #waitFor(ms: number, result: Result): void {
    this.#parts.waits.begin(ms, () => {
      this.#dueAt = performance.now();
      this.proceed(result);
    });
  }
}

/** Journeys that have begun and not ended, and what the first of them threw. */
export class UnderWay {
  size = 0;
  failure: string | undefined;
  readonly #broke: () => void;
  #empty: PromiseWithResolvers<void> | undefined;

  constructor(broke: () => void) {
    this.#broke = broke;
  }

  readonly ended = (failure?: unknown): void => {
    this.size -= 1;
    if (failure !== undefined) {
      this.failure ??= messageOf(failure);
      this.#broke();
    }
    if (this.size === 0) this.#empty?.resolve();
  };

  async waitUntilEmpty(): Promise<void> {
    if (this.size === 0) return;
    this.#empty ??= Promise.withResolvers<void>();
    await this.#empty.promise;
  }
}

/** Whether an answer came, with a status that the step calls no error. */
export function isAccepted({ step, result, error }: Pick<TrafficExchange, 'step' | 'result' | 'error'>): boolean {
  return error === undefined && isAcceptedStatus(step, result.status);
}
