import { lastBucket } from '../merge/buckets.ts';
import type { Mix } from '../mix.ts';
import { journeysIn, operationsIn } from './operations.ts';

/** Classes of an answer that latencies are counted apart by. */
export const outcomeClasses = ['accepted', 'errors'] as const;
/** Statuses that are told one by one; k6 keeps a count of those tags only that are named before the run. */
const statuses = [
  200, 201, 202, 204, 206, 301, 302, 304, 307, 400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 423, 428,
  429, 500, 501, 502, 503, 504,
].map(String);
const otherStatus = 'other';
const lost = 'lost';
export const outcomes = [...statuses, otherStatus, lost];

export function outcomeOf(status: number): string {
  if (status === 0) return lost;
  return statuses.includes(String(status)) ? String(status) : otherStatus;
}

/** Name of a metric of an operation: letters, digits and underscores, at most 128 of them, by the rules of k6. */
export function metricName(op: string, what: 'latency' | 'answers' | 'ms' | 'slowest'): string {
  return `traffic_${op.replace(/[^A-Za-z0-9]/g, '_')}_${what}`;
}

export const journeysMetric = 'traffic_journeys';
export const clockMetric = 'traffic_clock';

/** Count of one latency bucket. */
export function bucketMetric(op: string, outcomeClass: (typeof outcomeClasses)[number], bucket: number): string {
  return `${metricName(op, 'latency')}{class:${outcomeClass},bucket:${bucket}}`;
}

export function outcomeMetric(op: string, outcome: string): string {
  return `${metricName(op, 'answers')}{outcome:${outcome}}`;
}

export function journeyMetric(journey: string, whole: boolean): string {
  return `${journeysMetric}{journey:${journey},whole:${whole}}`;
}

/**
 * Every count that k6 has to keep. One counter a bucket would cost each of its users 4 kB a counter; a tag that a threshold names is
 * counted outside of the users.
 */
export function countedMetrics(mix: Mix): readonly string[] {
  const buckets = Array.from({ length: lastBucket + 1 }, (_, bucket) => bucket);
  return [
    ...operationsIn(mix).flatMap((op) => [
      ...outcomeClasses.flatMap((outcomeClass) => buckets.map((bucket) => bucketMetric(op, outcomeClass, bucket))),
      ...outcomes.map((outcome) => outcomeMetric(op, outcome)),
    ]),
    ...journeysIn(mix).flatMap((journey) => [journeyMetric(journey, true), journeyMetric(journey, false)]),
  ];
}
