import type { IdentityName, Profile } from '../../contract/profile.ts';
import type { Lateness } from '../../contract/schemas/traffic.ts';
import type { Ground } from './ground.ts';
import type { Journey } from './journey.ts';
import type { Mix } from './mix.ts';
import type { CheckStep, HttpStep, Result } from './step.ts';

/** A request with its answer, as an engine saw it. Times in ms of one monotonic clock, as exact as the engine can tell. */
export interface TrafficExchange {
  readonly journey: string;
  readonly user: number;
  readonly iteration: number;
  readonly step: HttpStep;
  readonly result: Result;
  /** What latency counts from: the schedule's time in an open model for the first request of an arrival, else when it was sent. */
  readonly dueAt: number;
  /** When it was sent at the earliest. */
  readonly sentAt: number;
  readonly endedAt: number;
  /** Why there is no answer: reset, refused, timeout, closed before the answer. */
  readonly error?: string;
  /** It was under way when the load ended: whether it took effect is not known, and it counts as neither answer nor error. */
  readonly cutOff?: boolean;
}

/** Told everything while it happens; must be quick. */
export interface TrafficObserver {
  exchange(exchange: TrafficExchange): void;
  check(check: CheckStep, of: { readonly journey: string; readonly user: number; readonly iteration: number }): void;
  /** A journey came to its end, or broke off because an answer was an error. */
  journeyEnded(journey: string, whole: boolean, of: { readonly user: number; readonly iteration: number }): void;
}

export type Load =
  | { readonly model: 'closed'; readonly users: number }
  /** Journeys that begin per second, on a schedule that does not wait for answers. */
  | { readonly model: 'open'; readonly rate: number; readonly arrivals?: 'poisson' };

/** The part of a load that one of several workers makes: all of them together make what one would. */
export interface Share {
  /** From 0, of the workers of all segments. */
  readonly index: number;
  readonly of: number;
  /** Of this segment, from 1. */
  readonly worker: number;
  /** When the load begins, in ms of this thread's monotonic clock: the same moment for all workers. */
  readonly startsAt: number;
}

/** How long an answer is waited for, unless told otherwise. */
export const usualTimeoutMs = 30_000;

/** One of several processes, on several machines perhaps, that make a load together. */
export interface Segment {
  /** From 0. */
  readonly index: number;
  readonly of: number;
}

/** Which journeys a worker of a segment makes: every so manieth, so that all of all segments make each once. */
export function shareOf(
  segment: Segment | undefined,
  worker: number,
  workers: number,
): Pick<Share, 'index' | 'of' | 'worker'> {
  const { index, of } = segment ?? { index: 0, of: 1 };
  return { index: index + of * worker, of: of * workers, worker: worker + 1 };
}

/** What a load consists of, how much of it there is, and for how long. */
export interface LoadPlan {
  readonly mix: Mix;
  readonly load: Load;
  readonly durationMs: number;
  /** Time over which the load rises to its full height. */
  readonly rampMs: number;
  readonly seed: number;
  /** The part of the load that this process makes; all of it unless given. */
  readonly segment?: Segment;
  /** When the load begins, in ms of Unix time; as soon as everything is there unless given. */
  readonly startAt?: number;
}

export interface EngineSetup extends LoadPlan {
  readonly baseUrl: string;
  readonly ground: Ground;
  /** Value of the Authorization header of an identity, or of the OAuth client; renewed when it is about to expire. */
  readonly authorizationOf: (identity: IdentityName | 'client') => string;
  /** Base64 of the information filter. */
  readonly informationFilter?: string;
  readonly timeoutMs: number;
  /** What is shown and trusted where the target speaks TLS. */
  readonly tls?: Profile['tls'];
  readonly signal: AbortSignal;
  /** Journeys of the mix that are not bundled, by name. */
  readonly own?: ReadonlyMap<string, Journey>;
  /** The whole load unless given. */
  readonly share?: Share;
  /** Told how late each journey began, in ms; of an open model. */
  readonly begunLate?: (ms: number) => void;
}

export interface EngineEnd {
  readonly durationMs: number;
  /** The engine gave up before the time was over; a remark says why. */
  readonly endedEarly?: true;
  /** Of an open model: how late journeys began, and how many could not begin at all because too much was in flight. */
  readonly lateness?: Lateness;
  /** What the engine cannot do or count, in sentences for the report. */
  readonly remarks: readonly string[];
}

/** What a failure makes of the end of a load. */
export function earlyEnd(failure: string | undefined): Pick<EngineEnd, 'remarks' | 'endedEarly'> {
  if (failure === undefined) return { remarks: [] };
  return { remarks: [`The load ended early: ${failure}`], endedEarly: true };
}

export type Engine = (setup: EngineSetup, observer: TrafficObserver) => Promise<EngineEnd>;

/** One that tells all of them, and every exchange to `also`. */
export function tellAll(
  observers: readonly TrafficObserver[],
  also: (exchange: TrafficExchange) => void,
): TrafficObserver {
  return {
    exchange(exchange) {
      for (const observer of observers) observer.exchange(exchange);
      also(exchange);
    },
    check: (check, of) => observers.forEach((observer) => observer.check(check, of)),
    journeyEnded: (journey, whole, of) => observers.forEach((observer) => observer.journeyEnded(journey, whole, of)),
  };
}
