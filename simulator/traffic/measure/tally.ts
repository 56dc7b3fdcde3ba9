import type { JourneySummary, OperationSummary, SecondSummary } from '../../../contract/schemas/traffic.ts';
import { isAccepted } from '../drive.ts';
import type { TrafficExchange, TrafficObserver } from '../engine.ts';
import type { CheckStep } from '../step.ts';
import { type Histogram, openHistogram } from './histogram.ts';

class Operation {
  readonly latency: Histogram = openHistogram();
  readonly outcomes = new Map<string, number>();
  errors = 0;

  count({ result, error, dueAt, endedAt }: TrafficExchange, isError: boolean): void {
    this.latency.record(endedAt - dueAt);
    const outcome = error ?? String(result.status);
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    if (isError) this.errors += 1;
  }

  summary(op: string): OperationSummary {
    const at = (percent: number): number => this.latency.percentile(percent);
    return {
      op,
      requests: this.latency.count,
      errors: this.errors,
      outcomes: Object.fromEntries([...this.outcomes].toSorted(([one], [other]) => one.localeCompare(other))),
      meanMs: this.latency.mean,
      p50Ms: at(50),
      p90Ms: at(90),
      p95Ms: at(95),
      p99Ms: at(99),
      maxMs: this.latency.max,
    };
  }
}

/** Counts what an engine tells, by operation, by second and by journey. */
export class Tally implements TrafficObserver {
  readonly all = new Operation();
  readonly #operations = new Map<string, Operation>();
  readonly #journeys = new Map<string, { begun: number; whole: number }>();
  readonly #seconds: SecondSummary[] = [];
  readonly #now = { latency: openHistogram(), errors: 0, second: 0 };
  readonly #startedAt: number;

  /** @param startedAt monotonic ms */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  exchange(exchange: TrafficExchange): void {
    if (exchange.cutOff === true) return;
    this.#turnTo(Math.floor((exchange.endedAt - this.#startedAt) / 1000));
    const isError = !isAccepted(exchange);
    this.all.count(exchange, isError);
    this.#operation(exchange.step.op).count(exchange, isError);
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

  operations(): readonly OperationSummary[] {
    return [...this.#operations]
      .map(([op, operation]) => operation.summary(op))
      .toSorted((one, other) => one.op.localeCompare(other.op));
  }

  journeys(): readonly JourneySummary[] {
    return [...this.#journeys]
      .map(([journey, counts]) => ({ journey, ...counts }))
      .toSorted((one, other) => one.journey.localeCompare(other.journey));
  }

  /** Whole seconds so far, and the one that is going on. */
  seconds(): readonly SecondSummary[] {
    return [...this.#seconds, this.#current()];
  }

  #operation(op: string): Operation {
    const known = this.#operations.get(op) ?? new Operation();
    this.#operations.set(op, known);
    return known;
  }

  #turnTo(second: number): void {
    while (this.#now.second < second) {
      this.#seconds.push(this.#current());
      this.#now.latency.reset();
      this.#now.errors = 0;
      this.#now.second += 1;
    }
  }

  #current(): SecondSummary {
    const { latency, errors, second } = this.#now;
    return {
      second,
      requests: latency.count,
      errors,
      p50Ms: latency.percentile(50),
      p90Ms: latency.percentile(90),
      p99Ms: latency.percentile(99),
      maxMs: latency.max,
    };
  }
}
