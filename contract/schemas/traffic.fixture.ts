import type { OperationSummary, SecondSummary, TrafficReport } from './traffic.ts';

/** What one operation came to: a request, unless told otherwise, and each time 1 ms. */
export function operationWith(op: string, more: Partial<OperationSummary> = {}): OperationSummary {
  const latencies = { p50Ms: 1, p90Ms: 1, p95Ms: 1, p99Ms: 1, p999Ms: 1, p9999Ms: 1, maxMs: 1 };
  return { op, requests: 1, errors: 0, outcomes: {}, meanMs: 1, ...latencies, ...more };
}

export function secondWith(second: number, more: Partial<SecondSummary> = {}): SecondSummary {
  return { second, requests: 1, errors: 0, p50Ms: 1, p90Ms: 1, p99Ms: 1, maxMs: 1, ...more };
}

/** A report of a load in which nothing happened, unless told otherwise. */
export function trafficReportWith(more: Partial<TrafficReport> = {}): TrafficReport {
  return {
    schemaVersion: 1,
    kind: 'traffic',
    implementation: 'example',
    target: 'http://localhost',
    startedAt: '2027-01-31T00:00:00.000Z',
    seed: 1,
    load: { model: 'open', rate: 50 },
    workers: 1,
    durationMs: 1000,
    requestsPerSecond: 1,
    all: operationWith('all'),
    operations: [],
    journeys: [],
    seconds: [],
    judged: { ratio: 1, exchanges: 1 },
    violations: [],
    thresholds: [],
    remarks: [],
    ...more,
  };
}
