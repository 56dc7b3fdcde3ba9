import { Counter, Gauge } from 'k6/metrics';
import { check } from 'k6';
import { bucketOf } from '../merge/buckets.ts';
import type { Mix } from '../mix.ts';
import { isAcceptedStatus, isRefusal } from '../results.ts';
import type { About, CheckStep, HttpStep } from '../step.ts';
import { clockMetric, journeysMetric, metricName, outcomeOf } from './names.ts';
import { operationsIn } from './operations.ts';
import type { Answer } from './request.ts';

/** Counts one operation; `latency` by tags of class and bucket, `answers` by outcome. */
interface OperationCounters {
  readonly latency: Counter;
  readonly answers: Counter;
  readonly ms: Counter;
  readonly slowest: Gauge;
}

/** What is counted of a run. Has to be made while the script is read: k6 takes no new metrics later. */
export class Counters {
  readonly #operations: ReadonlyMap<string, OperationCounters>;
  readonly #journeys = new Counter(journeysMetric);
  readonly #clock = new Gauge(clockMetric);

  constructor(mix: Mix) {
    this.#operations = new Map(operationsIn(mix).map((op) => [op, countersOf(op)]));
  }

  begun(): void {
    this.#clock.add(Date.now());
  }

  /** Returns whether the answer was no error. @throws {Error} an operation that no journey was known to have */
  answer(step: HttpStep, { result: { status }, ms }: Answer): boolean {
    const counters = this.#operations.get(step.op);
    if (counters === undefined)
      throw new Error(`Expected an operation that is listed for its journey, found '${step.op}'.`);
    const isAccepted = isAcceptedStatus(step, status);
    counters.latency.add(1, { class: isAccepted ? 'accepted' : 'errors', bucket: String(bucketOf(ms)) });
    counters.answers.add(1, { outcome: outcomeOf(status) });
    counters.ms.add(ms);
    counters.slowest.add(ms);
    this.#clock.add(Date.now());
    if (step.about?.kind === 'refused') this.#refusal(step.about, status);
    return isAccepted;
  }

  /** The only answers that are judged by their status alone. */
  #refusal({ rule, statuses }: Extract<About, { readonly kind: 'refused' }>, status: number): void {
    this.condition({ rule, ok: status === 0 || isRefusal(status, statuses) });
  }

  /** k6 counts by the name of a check, here the rule. */
  condition({ rule, ok }: Pick<CheckStep, 'rule' | 'ok'>): void {
    check(null, { [rule]: () => ok });
  }

  journeyEnded(journey: string, whole: boolean): void {
    this.#journeys.add(1, { journey, whole: String(whole) });
  }
}

function countersOf(op: string): OperationCounters {
  return {
    latency: new Counter(metricName(op, 'latency')),
    answers: new Counter(metricName(op, 'answers')),
    ms: new Counter(metricName(op, 'ms')),
    slowest: new Gauge(metricName(op, 'slowest')),
  };
}
