import type { DeliverySummary, Latencies } from '../../../contract/schemas/traffic.ts';
import type { Histogram } from '../../../contract/histogram.ts';

/** Those that a report tells, of whatever knows a percentile, all in ms. */
export function latenciesBy(at: (percent: number) => number, maxMs: number): Latencies {
  return { p50Ms: at(50), p90Ms: at(90), p95Ms: at(95), p99Ms: at(99), p999Ms: at(99.9), p9999Ms: at(99.99), maxMs };
}

/** How late something came, with every time, so that what several counted can be added up. */
export function delaysIn(histogram: Histogram): Omit<DeliverySummary, 'triggered' | 'arrived'> {
  return {
    p50Ms: histogram.percentile(50),
    p99Ms: histogram.percentile(99),
    maxMs: histogram.max,
    histogram: histogram.text(),
  };
}
