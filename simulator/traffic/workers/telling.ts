import { isAccepted } from '../drive.ts';
import type { TrafficExchange, TrafficObserver } from '../engine.ts';
import type { OutcomeOf, Told } from './messages.ts';

/** Numbers of a request in `Told`. */
export const numbersOfRequest = 3;

type News = Pick<Told, 'outcomes' | 'requests' | 'lateness' | 'journeys' | 'shared'>;

/** Gathers what a worker sees until it is told. Counts nothing by itself: each latency goes into the one histogram of all workers. */
export class Telling implements TrafficObserver {
  readonly #places = new Map<string, number>();
  readonly #toOthers: number;
  #outcomes: OutcomeOf[] = [];
  #requests: number[] = [];
  #lateness: number[] = [];
  #shared: TrafficExchange[] = [];
  #journeys = new Map<string, { begun: number; whole: number }>();

  /** @param toOthers from the clock of this thread to that of the one that is told, in ms */
  constructor(toOthers: number) {
    this.#toOthers = toOthers;
  }

  exchange(exchange: TrafficExchange): void {
    if (exchange.cutOff === true) return;
    this.#requests.push(this.#placeOf(exchange), exchange.dueAt + this.#toOthers, exchange.endedAt + this.#toOthers);
  }

  check(): void {
    // no request; the judge of the worker hears of it
  }

  journeyEnded(journey: string, whole: boolean): void {
    const counts = this.#journeys.get(journey) ?? { begun: 0, whole: 0 };
    this.#journeys.set(journey, { begun: counts.begun + 1, whole: counts.whole + (whole ? 1 : 0) });
  }

  late(ms: number): void {
    this.#lateness.push(ms);
  }

  share(exchange: TrafficExchange): void {
    const [dueAt, sentAt, endedAt] = [exchange.dueAt, exchange.sentAt, exchange.endedAt].map(
      (at) => at + this.#toOthers,
    ) as [number, number, number];
    this.#shared.push({ ...exchange, dueAt, sentAt, endedAt });
  }

  /** Of everything that is shared, what counts when nothing is judged. */
  shareEvent(exchange: TrafficExchange): void {
    if (exchange.step.about?.kind === 'trigger') this.share(exchange);
  }

  /** Everything since the last time. */
  news(): News {
    const journeys = [...this.#journeys].map(([journey, counts]) => ({ journey, ...counts }));
    const news = {
      outcomes: this.#outcomes,
      requests: Float64Array.from(this.#requests),
      lateness: Float64Array.from(this.#lateness),
      journeys,
      shared: this.#shared,
    };
    [this.#outcomes, this.#requests, this.#lateness, this.#shared, this.#journeys] = [[], [], [], [], new Map()];
    return news;
  }

  #placeOf(exchange: TrafficExchange): number {
    const { step, result, error } = exchange;
    const accepted = isAccepted(exchange);
    const key = `${step.op}/${error ?? result.status}/${accepted}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = this.#places.size;
    this.#places.set(key, place);
    this.#outcomes.push({ op: step.op, status: result.status, accepted, ...(error !== undefined && { error }) });
    return place;
  }
}
