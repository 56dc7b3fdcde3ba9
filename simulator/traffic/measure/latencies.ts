import type { Latencies } from '../../../contract/schemas/traffic.ts';

/** Those that a report tells, of whatever knows a percentile, all in ms. */
export function latenciesBy(at: (percent: number) => number, maxMs: number): Latencies {
  return { p50Ms: at(50), p90Ms: at(90), p95Ms: at(95), p99Ms: at(99), p999Ms: at(99.9), p9999Ms: at(99.99), maxMs };
}
