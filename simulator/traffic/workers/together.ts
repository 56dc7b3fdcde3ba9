import type { EngineEnd, TrafficExchange } from '../engine.ts';
import { Objects } from '../judging/objects.ts';
import { sampler } from '../judging/sample.ts';
import { type FoundViolation, sumSeconds, Violations } from '../judging/violations.ts';
import { delaysIn } from '../measure/latencies.ts';
import { shiftOfClock } from './clock.ts';
import type { Crew, Ending } from './crew.ts';
import type { Ended, OutcomeOf, ShareNews } from './messages.ts';
import type { LoadOrder, RunningLoad } from './running-load.ts';
import { Histogram } from '../../../contract/histogram.ts';
import { Tally } from '../measure/tally.ts';
import { numbersOfRequest } from './recorder.ts';

/** So that the orders are there before the load begins, in ms. */
const headStartMs = 30;

/**
 * By workers. Each makes every so manieth arrival, or has every so manieth user: journeys follow from their numbers alone, so together they
 * make the very journeys that one worker would. A worker judges what an answer or a journey shows by itself. What was done to an object,
 * and which events were accepted, is told to this thread, which alone knows everything: histories go to the checker as a whole, whichever
 * workers the writers were in, and the extension is listened for once. So no journey has to stay near another one.
 */
export function makeTogether(crew: Crew, order: LoadOrder): RunningLoad {
  const { setup, judging, see, made } = order;
  const { ratio, breachesOf } = judging;
  const startsAt = Math.max(order.startsAt ?? 0, performance.now() + headStartMs);
  const violations = new Violations(startsAt);
  const objects = new Objects({
    ground: setup.ground,
    breachesOf,
    complain: violations.complain,
    isJudged: sampler(ratio),
  });
  const look = (exchange: TrafficExchange): void => {
    if (ratio > 0) objects.see(exchange);
    see(exchange);
  };
  const collector = new ShareCollector(crew.size, startsAt, look, made);
  let found: readonly FoundViolation[] = [];
  const count = (): number => violations.count + collector.violations;
  return {
    tally: collector.tally,
    startsAt,
    judged: () => collector.judged,
    violations: count,
    isBroken: () => count() > 0 || objects.isBroken(),
    make: async () => {
      const { authorizationOf: _of, signal, own: _own, ...plain } = setup;
      const orders = { setup: plain, ratio, startsAt, shift: shiftOfClock() };
      const endings = await crew.begin(orders, signal, (worker, news) => collector.hear(worker, news));
      collector.finish();
      found = endings.filter(isWhole).flatMap((ending) => ending.violations);
      return endOf(endings, collector, performance.now() - startsAt);
    },
    complain: violations.complain,
    finish: () => {
      if (ratio > 0) objects.finish();
      return mergeViolations([...violations.all(), ...found]);
    },
  };
}

function isWhole(ending: Ending): ending is Ended {
  return ending !== 'late' && 'end' in ending;
}

function endOf(endings: readonly Ending[], { lateness }: ShareCollector, elapsedMs: number): EngineEnd {
  const ends = endings.filter(isWhole).map(({ end }) => end);
  const endedEarly =
    ends.some((end) => end.endedEarly === true) || endings.some((ending) => ending !== 'late' && 'failure' in ending);
  const skipped = ends.reduce((sum, end) => sum + (end.lateness?.skipped ?? 0), 0);
  const behind = ends
    .flatMap((end) => end.lateness?.behind ?? [])
    .toSorted((one, other) => one.second - other.second || one.worker - other.worker);
  return {
    durationMs:
      ends.length === endings.length ? Math.max(...ends.map(({ durationMs }) => durationMs)) : Math.max(0, elapsedMs),
    remarks: [...mergeRemarks(ends.map(({ remarks }) => remarks)), ...remarksOn(endings)],
    ...(lateness.count > 0 && {
      lateness: { ...delaysIn(lateness), skipped, ...(behind.length > 0 && { behind }) },
    }),
    ...(endedEarly && { endedEarly }),
  };
}

function remarksOn(endings: readonly Ending[]): readonly string[] {
  const late = endings.filter((ending) => ending === 'late').length;
  return [
    ...endings.flatMap((ending, index) =>
      ending !== 'late' && 'failure' in ending
        ? [
            `Worker ${index + 1} of ${endings.length} broke down (${ending.failure}), so the load ended early; what it had not told by then is not counted.`,
          ]
        : [],
    ),
    ...(late === 0
      ? []
      : [`${late} of ${endings.length} workers did not end in time: what they had not told by then is not counted.`]),
  ];
}

/** Each rule once: how often all workers saw it broken, and the earliest exchange that any of them has to show. */
export function mergeViolations(found: readonly FoundViolation[]): readonly FoundViolation[] {
  return [...Map.groupBy(found, ({ rule }) => rule).values()]
    .flatMap((same) => {
      const [first] = same.toSorted((one, other) => timeOf(one) - timeOf(other));
      const count = same.reduce((sum, one) => sum + one.count, 0);
      return first === undefined ? [] : [{ ...first, count, bySecond: sumSeconds(same) }];
    })
    .toSorted((one, other) => one.rule.localeCompare(other.rule));
}

function timeOf({ exchange }: FoundViolation): number {
  return exchange?.endedAt ?? Infinity;
}

/** Remarks of all workers: a number that one begins with counts something, and is added up; others are said once. */
export function mergeRemarks(all: readonly EngineEnd['remarks'][]): readonly string[] {
  const sums = new Map<string, number>();
  for (const remark of all.flat()) {
    const { number = '', rest = remark } = /^(?<number>\d+)(?<rest> .*)$/s.exec(remark)?.groups ?? {};
    sums.set(rest, (sums.get(rest) ?? 0) + Number(number));
  }
  return [...sums].map(([rest, sum]) => (sum === 0 ? rest : `${sum}${rest}`));
}

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
