import type { TrafficExchange } from '../engine.ts';
import { Histogram } from '../../../contract/histogram.ts';
import { Tally } from '../measure/tally.ts';
import type { OutcomeOf, ShareNews } from './messages.ts';
import { numbersOfRequest } from './recorder.ts';

/** An exchange that waits for its turn; one that is only counted holds nothing but that. */
interface Waiting {
  readonly exchange: TrafficExchange;
  readonly isCounted: boolean;
}

/**
 * Puts together what several workers tell, in the order in which it happened. Every latency goes into one tally, as if one worker had
 * made it all: no percentile is made from percentiles, and no second is cut in two.
 */
export class ShareCollector {
  readonly tally: Tally;
  readonly lateness = new Histogram();
  readonly #told: { until: number; judged: number; violations: number; readonly outcomes: OutcomeOf[] }[];
  readonly #see: (exchange: TrafficExchange) => void;
  readonly #made: (oids: readonly string[]) => void;
  #waiting: Waiting[] = [];

  /**
   * @param see told of everything that concerns more than one worker, and of how each request ended
   * @param made told of objects that were made
   */
  constructor(
    workers: number,
    startedAt: number,
    see: (exchange: TrafficExchange) => void,
    made: (oids: readonly string[]) => void = () => undefined,
  ) {
    this.tally = new Tally(startedAt);
    this.#told = Array.from({ length: workers }, () => ({ until: startedAt, judged: 0, violations: 0, outcomes: [] }));
    this.#see = see;
    this.#made = made;
  }

  /** Answers that were looked at. */
  get judged(): number {
    return this.#told.reduce((sum, { judged }) => sum + judged, 0);
  }

  /** Times that a worker saw a rule broken. */
  get violations(): number {
    return this.#told.reduce((sum, { violations }) => sum + violations, 0);
  }

  hear(worker: number, news: ShareNews): void {
    const known = this.#told[worker];
    if (known === undefined)
      throw new RangeError(`Expected one of ${this.#told.length} workers, found number ${worker}.`);
    known.outcomes.push(...news.outcomes);
    known.judged = news.judged;
    known.violations = news.violations;
    known.until = news.until;
    this.#count(known.outcomes, news.requests);
    this.#made(news.made);
    for (const exchange of news.shared) this.#waiting.push({ exchange, isCounted: false });
    for (const ms of news.lateness) this.lateness.record(ms);
    for (const { journey, begun, whole } of news.journeys)
      for (let number = 0; number < begun; number += 1) this.tally.journeyEnded(journey, number < whole);
    this.#passOn(Math.min(...this.#told.map(({ until }) => until)));
  }

  /** Nothing more will be news. */
  finish(): void {
    this.#passOn(Infinity);
  }

  #count(outcomes: readonly OutcomeOf[], requests: Float64Array): void {
    const endings = outcomes.map(exchangeOf);
    for (let at = 0; at < requests.length; at += numbersOfRequest) {
      const [place = 0, dueAt = 0, sentAt = 0, endedAt = 0] = requests.subarray(at, at + numbersOfRequest);
      const ending = endings[place];
      if (ending === undefined)
        throw new RangeError(`Expected one of ${endings.length} outcomes, found number ${place}.`);
      this.#waiting.push({ exchange: { ...ending, dueAt, sentAt, endedAt }, isCounted: true });
    }
  }

  /** What happened until then can have been overtaken by nothing that is still to be news. */
  #passOn(until: number): void {
    const [past, later] = [
      this.#waiting.filter(({ exchange }) => exchange.endedAt <= until),
      this.#waiting.filter(({ exchange }) => exchange.endedAt > until),
    ];
    this.#waiting = later;
    for (const { exchange, isCounted } of past.toSorted(
      (one, other) => one.exchange.endedAt - other.exchange.endedAt,
    )) {
      if (isCounted) this.tally.exchange(exchange);
      this.#see(exchange);
    }
  }
}

/** As much of an exchange as is counted. */
function exchangeOf({ journey, op, status, accepted, error, first, refused }: OutcomeOf): TrafficExchange {
  const { method = 'GET', path = '', says = '' } = first ?? {};
  return {
    journey,
    user: 0,
    iteration: 0,
    dueAt: 0,
    sentAt: 0,
    endedAt: 0,
    step: { kind: 'http', op, method, path, as: refused ?? null, accept: accepted ? [status] : [] },
    result: { status, headers: {}, body: says },
    ...(error !== undefined && { error }),
  };
}
