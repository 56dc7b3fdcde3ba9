import type {
  FailureSummary,
  JourneySummary,
  Latencies,
  MinuteSummary,
  OperationSummary,
  SecondSummary,
} from '../../../contract/schemas/traffic.ts';
import { isAccepted } from '../drive.ts';
import type { TrafficExchange, TrafficObserver } from '../engine.ts';
import type { CheckStep } from '../step.ts';
import { Histogram } from '../../../contract/histogram.ts';
import { saidIn } from '../results.ts';
import { latenciesBy } from './latencies.ts';

/** What is known of the requests of one name. */
export class Operation {
  readonly latency = new Histogram();
  readonly #raw = new Histogram();
  readonly outcomes = new Map<string, number>();
  readonly #failures = new Map<string, FailureSummary>();
  errors = 0;

  /** @param second that it ended in */
  count(exchange: TrafficExchange, isError: boolean, second: number): void {
    const { result, error, dueAt, sentAt, endedAt } = exchange;
    this.latency.record(endedAt - dueAt);
    this.#raw.record(endedAt - sentAt);
    const outcome = error ?? String(result.status);
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    if (!isError) return;
    this.errors += 1;
    const known = this.#failures.get(outcome);
    const first = known?.first ?? firstOf(exchange, second);
    this.#failures.set(outcome, { outcome, requests: (known?.requests ?? 0) + 1, first });
  }

  add(other: Operation): void {
    this.latency.add(other.latency);
    this.#raw.add(other.#raw);
    for (const [outcome, count] of other.outcomes)
      this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + count);
    this.errors += other.errors;
    for (const failure of other.#failures.values()) this.#addFailure(failure);
  }

  summary(op: string): OperationSummary {
    return {
      op,
      requests: this.latency.count,
      errors: this.errors,
      outcomes: Object.fromEntries([...this.outcomes].toSorted(([one], [other]) => one.localeCompare(other))),
      ...(this.#failures.size > 0 && {
        failures: [...this.#failures.values()].toSorted((one, other) => one.outcome.localeCompare(other.outcome)),
      }),
      meanMs: this.latency.mean,
      ...latenciesIn(this.latency),
      raw: latenciesIn(this.#raw),
    };
  }

  /** What `wholeSummary` told. @throws {RangeError} it was told without its latencies */
  static of({ histogram, raw, outcomes, failures = [], errors }: OperationSummary): Operation {
    const read = new Operation();
    read.latency.add(Histogram.of(histogram ?? ''));
    read.#raw.add(Histogram.of(raw?.histogram ?? ''));
    for (const [outcome, count] of Object.entries(outcomes)) read.outcomes.set(outcome, count);
    for (const failure of failures) read.#addFailure(failure);
    read.errors = errors;
    return read;
  }

  /** With every latency, so that those of several runs can be added up. */
  wholeSummary(op: string): OperationSummary {
    const summary = this.summary(op);
    return {
      ...summary,
      histogram: this.latency.text(),
      raw: { ...latenciesIn(this.#raw), histogram: this.#raw.text() },
    };
  }

  #addFailure(failure: FailureSummary): void {
    const { outcome, requests, first } = failure;
    const known = this.#failures.get(outcome);
    const isFirst = known === undefined || first.second < known.first.second;
    const sum = requests + (known?.requests ?? 0);
    this.#failures.set(outcome, { outcome, requests: sum, first: isFirst ? first : known.first });
  }
}

function firstOf({ step, result }: TrafficExchange, second: number): FailureSummary['first'] {
  const [path = ''] = step.path.split('?');
  const says = saidIn(result);
  return { second, request: `${step.method} ${path}`, ...(says !== undefined && { says }) };
}

function latenciesIn(histogram: Histogram): Latencies {
  return latenciesBy((percent) => histogram.percentile(percent), histogram.max);
}

export function sumOf(operations: Iterable<Operation>): Operation {
  const sum = new Operation();
  for (const operation of operations) sum.add(operation);
  return sum;
}

/** The seconds of longer runs are told without their histograms, so that a report of a day can still be read. */
const mostSecondsInFull = 7200;
const secondsOfAMinute = 60;

/** Counts what an engine tells, by operation, by second and by journey. */
export class Tally implements TrafficObserver {
  /** Requests without an answer since the last answer. */
  lostInARow = 0;
  /** When the last answer came, in monotonic ms; when the load began where none did. */
  answeredAt: number;
  /** By journey, and by operation in it. */
  readonly #steps = new Map<string, Map<string, Operation>>();
  readonly #journeys = new Map<string, { begun: number; whole: number }>();
  readonly #seconds: SecondSummary[] = [];
  readonly #now = { latency: new Histogram(), errors: 0, second: 0 };
  readonly #minutes: MinuteSummary[] = [];
  readonly #minute = { latency: new Histogram(), errors: 0 };
  readonly #startedAt: number;

  /** @param startedAt monotonic ms */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
    this.answeredAt = startedAt;
  }

  exchange(exchange: TrafficExchange): void {
    if (exchange.cutOff === true) return;
    this.lostInARow = exchange.error === undefined ? 0 : this.lostInARow + 1;
    if (exchange.error === undefined) this.answeredAt = exchange.endedAt;
    const second = Math.floor((exchange.endedAt - this.#startedAt) / 1000);
    this.#turnTo(second);
    const isError = !isAccepted(exchange);
    this.#step(exchange).count(exchange, isError, second);
    this.#now.latency.record(exchange.endedAt - exchange.dueAt);
    if (isError) this.#now.errors += 1;
  }

  check(_check: CheckStep): void {
    // what a journey looked at is no request; the judge hears of it
  }

  journeyEnded(journey: string, whole: boolean): void {
    const counts = this.#journeys.get(journey) ?? { begun: 0, whole: 0 };
    this.#journeys.set(journey, { begun: counts.begun + 1, whole: counts.whole + (whole ? 1 : 0) });
  }

  /** Everything together. */
  get all(): Operation {
    return sumOf(this.#steps.values().flatMap((steps) => steps.values()));
  }

  operations(): readonly OperationSummary[] {
    const steps = [...this.#steps.values()].flatMap((all) => [...all]);
    return [...Map.groupBy(steps, ([op]) => op)]
      .map(([op, same]) => sumOf(same.map(([, step]) => step)).summary(op))
      .toSorted((one, other) => one.op.localeCompare(other.op));
  }

  journeys(): readonly JourneySummary[] {
    return [...this.#journeys]
      .map(([journey, counts]) => ({ journey, ...counts, steps: this.#stepsOf(journey) }))
      .toSorted((one, other) => one.journey.localeCompare(other.journey));
  }

  /** Whole seconds so far, and the one that is going on. */
  seconds(): readonly SecondSummary[] {
    return [...this.#seconds, this.#current()];
  }

  /** Those that are over. */
  minutes(): readonly MinuteSummary[] {
    return this.#minutes;
  }

  #stepsOf(journey: string): OperationSummary[] {
    return [...(this.#steps.get(journey) ?? [])]
      .map(([op, step]) => step.wholeSummary(op))
      .toSorted((one, other) => one.op.localeCompare(other.op));
  }

  #step({ journey, step: { op } }: TrafficExchange): Operation {
    let steps = this.#steps.get(journey);
    if (steps === undefined) this.#steps.set(journey, (steps = new Map<string, Operation>()));
    let step = steps.get(op);
    if (step === undefined) steps.set(op, (step = new Operation()));
    return step;
  }

  #turnTo(second: number): void {
    while (this.#now.second < second) {
      this.#seconds.push(this.#current());
      this.#minute.latency.add(this.#now.latency);
      this.#minute.errors += this.#now.errors;
      if ((this.#now.second + 1) % secondsOfAMinute === 0) this.#turnMinute();
      this.#now.latency.reset();
      this.#now.errors = 0;
      this.#now.second += 1;
    }
  }

  #turnMinute(): void {
    const { latency, errors } = this.#minute;
    this.#minutes.push(minuteOf(this.#minutes.length, latency, errors));
    latency.reset();
    this.#minute.errors = 0;
  }

  #current(): SecondSummary {
    const { latency, errors, second } = this.#now;
    return secondOf(second, latency, errors);
  }
}

export function secondOf(second: number, latency: Histogram, errors: number): SecondSummary {
  return {
    second,
    requests: latency.count,
    errors,
    p50Ms: latency.percentile(50),
    p90Ms: latency.percentile(90),
    p99Ms: latency.percentile(99),
    maxMs: latency.max,
    ...(second < mostSecondsInFull && { histogram: latency.text() }),
  };
}

export function minuteOf(minute: number, latency: Histogram, errors: number): MinuteSummary {
  return {
    minute,
    requests: latency.count,
    errors,
    p50Ms: latency.percentile(50),
    p99Ms: latency.percentile(99),
    maxMs: latency.max,
  };
}
