import { Histogram } from '../contract/histogram.ts';
import type { OperationSummary, TrafficReport } from '../contract/schemas/traffic.ts';
import { quantiles } from './traffic-openmetrics.ts';

/** Values that are told for each half of what is left above them, as HdrHistogram tells them. */
const ticksPerHalf = 5;

interface Row {
  readonly ms: number;
  /** Share that was no slower, 0 to 1. */
  readonly share: number;
  readonly count: number;
}

/**
 * Latencies in ms as the percentile distribution that HdrHistogram prints, which its plotters read: from when a request was due to the end of
 * its answer. A report without every latency gives the percentiles that it has.
 */
export function trafficHgrm({ all }: Pick<TrafficReport, 'all'>): string {
  const histogram = all.histogram === undefined ? undefined : Histogram.of(all.histogram);
  const rows = histogram === undefined ? known(all) : distributed(histogram);
  const deviation = histogram === undefined ? NaN : deviationOf(histogram);
  return [
    `${'Value'.padStart(12)} ${'Percentile'.padStart(14)} ${'TotalCount'.padStart(10)} ${'1/(1-Percentile)'.padStart(14)}`,
    '',
    ...rows.map(({ ms, share, count }) => {
      const told = `${fixed(ms, 3, 12)} ${fixed(share, 12, 2)} ${String(count).padStart(10)}`;
      return share < 1 ? `${told} ${fixed(1 / (1 - share), 2, 14)}` : told;
    }),
    `#[Mean    = ${fixed(all.meanMs, 3, 12)}, StdDeviation   = ${fixed(deviation, 3, 12)}]`,
    `#[Max     = ${fixed(all.maxMs, 3, 12)}, Total count    = ${String(all.requests).padStart(12)}]`,
    '',
  ].join('\n');
}

function* distributed(histogram: Histogram): Generator<Row> {
  const total = histogram.count;
  let count = 0;
  let level = 0;
  let last: Row | undefined;
  for (const [ms, times] of histogram.buckets()) {
    count += times;
    last = { ms, share: count / total, count };
    while (count / total >= level && level < 1) {
      yield { ms, share: level, count };
      level += 1 / (ticksPerHalf * 2 ** (Math.floor(Math.log2(1 / (1 - level))) + 1));
      if (count === total) break;
    }
  }
  if (last !== undefined) yield last;
}

function known(all: OperationSummary): readonly Row[] {
  return quantiles.map(({ share, of }) => ({ ms: of(all), share, count: Math.ceil(share * all.requests) }));
}

function deviationOf(histogram: Histogram): number {
  let squares = 0;
  for (const [ms, times] of histogram.buckets()) squares += times * (ms - histogram.mean) ** 2;
  return Math.sqrt(squares / Math.max(1, histogram.count));
}

function fixed(value: number, digits: number, width: number): string {
  return value.toFixed(digits).padStart(width);
}
