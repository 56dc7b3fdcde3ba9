import type { Latencies, OperationSummary, TrafficReport } from '../contract/schemas/traffic.ts';

type Labels = Readonly<Record<string, string>>;
/** Suffix, labels and value. */
type Sample = readonly [suffix: string, labels: Labels, value: number];

const prefix = 'svc_traffic';

/** The latencies of a report that does not hold every one, with the share that was no slower. */
export const quantiles = [
  { share: 0.5, of: ({ p50Ms }: Latencies) => p50Ms },
  { share: 0.9, of: ({ p90Ms }: Latencies) => p90Ms },
  { share: 0.95, of: ({ p95Ms }: Latencies) => p95Ms },
  { share: 0.99, of: ({ p99Ms }: Latencies) => p99Ms },
  { share: 0.999, of: ({ p999Ms }: Latencies) => p999Ms },
  { share: 0.9999, of: ({ p9999Ms }: Latencies) => p9999Ms },
  { share: 1, of: ({ maxMs }: Latencies) => maxMs },
] as const;

/** What is told of a run, or of one that goes on. */
export type Measured = Pick<
  TrafficReport,
  | 'implementation'
  | 'seed'
  | 'durationMs'
  | 'operations'
  | 'journeys'
  | 'judged'
  | 'violations'
  | 'thresholds'
  | 'lateness'
> & {
  /** Times that any rule was seen broken, while it is not known yet which. */
  readonly seenBroken?: number;
};

/** What a run came to as text of OpenMetrics 1.0, for a push gateway or the text file collector of a node exporter. */
export function trafficOpenMetrics(report: Measured): string {
  const { operations, journeys, violations, thresholds, judged, lateness, implementation, seed } = report;
  const late = lateness === undefined ? [] : [['', {}, lateness.p99Ms / 1000] as const];
  return [
    ...family('run', 'info', 'What was loaded.', [['_info', { implementation, seed: String(seed) }, 1]]),
    ...family('duration_seconds', 'gauge', 'How long the load took.', [['', {}, report.durationMs / 1000]], 'seconds'),
    ...family('requests', 'counter', 'Requests that ended, by operation and outcome.', operations.flatMap(outcomes)),
    ...family(
      'errors',
      'counter',
      'Requests without an answer, or with one that is an error.',
      operations.map(({ op, errors }) => ['_total', { op }, errors]),
    ),
    ...family(
      'latency_seconds',
      'summary',
      'From when a request was due to the end of its answer.',
      operations.flatMap((one) => [
        ...quantilesOf(one.op, one),
        ['_count', { op: one.op }, one.requests] as const,
        ['_sum', { op: one.op }, (one.meanMs * one.requests) / 1000] as const,
      ]),
      'seconds',
    ),
    ...family(
      'raw_latency_seconds',
      'summary',
      'From when a request was sent to the end of its answer.',
      operations.flatMap(({ op, raw }) => (raw === undefined ? [] : quantilesOf(op, raw))),
      'seconds',
    ),
    ...family(
      'journeys',
      'counter',
      'Journeys that ended, whole or not.',
      journeys.flatMap(({ journey, begun, whole }) => [
        ['_total', { journey, whole: 'true' }, whole] as const,
        ['_total', { journey, whole: 'false' }, begun - whole] as const,
      ]),
    ),
    ...family('judged', 'counter', 'Answers that were held against the rules.', [['_total', {}, judged.exchanges]]),
    ...family(
      'violations',
      'counter',
      'Times that a rule was seen broken.',
      violations.map(({ rule, count }) => ['_total', { rule }, count]),
    ),
    ...family(
      'seen_broken',
      'gauge',
      'Times that any rule was seen broken so far.',
      report.seenBroken === undefined ? [] : [['', {}, report.seenBroken]],
    ),
    ...family(
      'threshold_kept',
      'gauge',
      '1 where a threshold was kept, 0 where it was not.',
      thresholds.map(({ text, met }) => ['', { threshold: text }, met ? 1 : 0]),
    ),
    ...family('late_seconds', 'gauge', 'By how much journeys began late, 99th percentile.', late, 'seconds'),
    '# EOF',
    '',
  ].join('\n');
}

function outcomes({ op, outcomes: all }: OperationSummary): readonly Sample[] {
  return Object.entries(all).map(([outcome, times]) => ['_total', { op, outcome }, times]);
}

function quantilesOf(op: string, latencies: Latencies): readonly Sample[] {
  return quantiles.map(({ share, of }) => ['', { op, quantile: String(share) }, of(latencies) / 1000]);
}

function family(
  name: string,
  type: 'counter' | 'gauge' | 'info' | 'summary',
  help: string,
  samples: readonly Sample[],
  unit?: string,
): readonly string[] {
  const full = `${prefix}_${name}`;
  return [
    `# TYPE ${full} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${full} ${unit}`]),
    `# HELP ${full} ${help}`,
    ...samples.map(([suffix, labels, value]) => `${full}${suffix}${labelText(labels)} ${value}`),
  ];
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
