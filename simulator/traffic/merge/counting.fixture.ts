import { isAccepted } from '../drive.ts';
import type { TrafficExchange, TrafficObserver } from '../engine.ts';
import type { CheckStep } from '../step.ts';
import { bucketOf } from './buckets.ts';
import type { OperationCounts, SegmentCounts } from './counts.ts';

type Counted = Pick<SegmentCounts, 'operations' | 'journeys' | 'violations' | 'judged'>;

/** Counts an engine of this process the way that a segment counts itself, so that both can be compared and added up. */
export class Counting implements TrafficObserver {
  readonly #operations: Record<string, OperationCounts> = {};
  readonly #journeys: Record<string, { begun: number; whole: number }> = {};
  readonly #violations: Record<string, number> = {};
  #judged = 0;

  get counts(): Counted {
    return {
      operations: this.#operations,
      journeys: this.#journeys,
      violations: this.#violations,
      judged: this.#judged,
    };
  }

  exchange(exchange: TrafficExchange): void {
    const { step, result, error, dueAt, endedAt } = exchange;
    const counts = (this.#operations[step.op] ??= { accepted: {}, errors: {}, outcomes: {}, totalMs: 0, maxMs: 0 });
    const ms = endedAt - dueAt;
    increase(isAccepted(exchange) ? counts.accepted : counts.errors, String(bucketOf(ms)));
    increase(counts.outcomes, error ?? String(result.status));
    counts.totalMs += ms;
    counts.maxMs = Math.max(counts.maxMs, ms);
  }

  check({ rule, ok }: CheckStep): void {
    this.#judged += 1;
    if (!ok) increase(this.#violations, rule);
  }

  journeyEnded(journey: string, whole: boolean): void {
    const counts = (this.#journeys[journey] ??= { begun: 0, whole: 0 });
    counts.begun += 1;
    if (whole) counts.whole += 1;
  }
}

function increase(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
