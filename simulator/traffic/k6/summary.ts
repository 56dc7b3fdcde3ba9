import { lastBucket } from '../merge/buckets.ts';
import type { OperationCounts, SegmentCounts } from '../merge/counts.ts';
import { bucketMetric, clockMetric, journeyMetric, metricName, outcomeMetric, outcomes } from './names.ts';
import { journeysIn, operationsIn } from './operations.ts';
import type { Plan } from './plan.ts';

/** What k6 hands to handleSummary, as far as it is used. */
export interface SummaryData {
  readonly metrics: Readonly<Record<string, { readonly values: Readonly<Record<string, number>> } | undefined>>;
  readonly root_group: {
    readonly checks: readonly { readonly name: string; readonly passes: number; readonly fails: number }[];
  };
}

/** Part of the run that this process made; null where it made all of it. */
export interface ExecutionSegment {
  readonly executionSegment: string | null;
  readonly executionSegmentSequence: string | null;
}

export function countsOf(
  plan: Plan,
  { metrics, root_group }: SummaryData,
  { executionSegment, executionSegmentSequence }: ExecutionSegment,
): SegmentCounts {
  const countIn = (name: string): number => metrics[name]?.values['count'] ?? 0;
  const { min: begin = 0, max: end = 0 } = metrics[clockMetric]?.values ?? {};
  const { implementation, baseUrl, mixDigest, seed, load, durationMs, thresholds, mix } = plan;
  return {
    schemaVersion: 1,
    kind: 'traffic-counts',
    run: { implementation, target: baseUrl, mix: mixDigest, seed, load, durationMs, thresholds: [...thresholds] },
    segment: executionSegment ?? '0:1',
    sequence: executionSegmentSequence,
    startedAt: new Date(begin).toISOString(),
    durationMs: end - begin,
    skipped: countIn('dropped_iterations'),
    operations: Object.fromEntries(
      operationsIn(mix).flatMap((op) => {
        const counts = operationOf(op, countIn, metrics[metricName(op, 'slowest')]?.values['max'] ?? 0);
        return Object.keys(counts.outcomes).length === 0 ? [] : [[op, counts]];
      }),
    ),
    journeys: Object.fromEntries(
      journeysIn(mix).flatMap((journey) => {
        const whole = countIn(journeyMetric(journey, true));
        const begun = whole + countIn(journeyMetric(journey, false));
        return begun === 0 ? [] : [[journey, { begun, whole }]];
      }),
    ),
    violations: Object.fromEntries(
      root_group.checks.filter(({ fails }) => fails > 0).map(({ name, fails }) => [name, fails]),
    ),
    judged: root_group.checks.reduce((sum, { passes, fails }) => sum + passes + fails, 0),
  };
}

function operationOf(op: string, countIn: (name: string) => number, maxMs: number): OperationCounts {
  return {
    accepted: bucketsOf((bucket) => countIn(bucketMetric(op, 'accepted', bucket))),
    errors: bucketsOf((bucket) => countIn(bucketMetric(op, 'errors', bucket))),
    outcomes: filledOnly(outcomes.map((outcome) => [outcome, countIn(outcomeMetric(op, outcome))])),
    totalMs: countIn(metricName(op, 'ms')),
    maxMs,
  };
}

function bucketsOf(count: (bucket: number) => number): Record<string, number> {
  return filledOnly(Array.from({ length: lastBucket + 1 }, (_, bucket) => [String(bucket), count(bucket)]));
}

function filledOnly(counts: readonly (readonly [name: string, count: number])[]): Record<string, number> {
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** A few lines for whoever watches one segment; the figures that count come from merging. */
export function segmentText({ segment, operations, violations, skipped, run }: SegmentCounts, file: string): string {
  const rows = Object.entries(operations).map(
    ([op, { accepted, errors }]) => `  ${op}: ${sumOf(accepted)} accepted, ${sumOf(errors)} errors`,
  );
  const broken = Object.entries(violations).map(([rule, count]) => `  ${rule} was broken ${count} times`);
  return [
    `Segment ${segment} of the traffic on ${run.implementation}:`,
    ...rows,
    ...broken,
    `${skipped} journeys could not begin. Counts are in ${file}; svc-conformance simulate merge adds up all segments.`,
    '',
  ].join('\n');
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
