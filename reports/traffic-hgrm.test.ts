import fc from 'fast-check';
import { build } from 'hdr-histogram-js';
import { expect, test } from 'vitest';
import { Histogram } from '../contract/histogram.ts';
import type { OperationSummary } from '../contract/schemas/traffic.ts';
import { trafficHgrm } from './traffic-hgrm.ts';

const percentiles = { p50Ms: 1, p90Ms: 2, p95Ms: 3, p99Ms: 20, p999Ms: 100, p9999Ms: 1900, maxMs: 2000 };
const all: OperationSummary = { op: 'all', requests: 10_000, errors: 0, outcomes: {}, meanMs: 2, ...percentiles };

/** Value, percentile and count of each row. */
function rowsOf(text: string): readonly (readonly number[])[] {
  const rows = text.split('\n').filter((line) => /^ *\d/.test(line));
  return rows.map((row) => row.trim().split(/ +/).slice(0, 3).map(Number));
}

test('every row is a percentile that HdrHistogram tells', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 60_000_000 }), { minLength: 1, maxLength: 400 }), (times) => {
      const ours = new Histogram();
      const theirs = build({ numberOfSignificantValueDigits: 3, highestTrackableValue: 100_000_000 });
      for (const us of times) {
        ours.record(us / 1000);
        theirs.recordValue(us);
      }
      const text = trafficHgrm({
        all: { ...all, requests: times.length, meanMs: ours.mean, maxMs: ours.max, histogram: ours.text() },
      });
      expect(text.split('\n')[0]).toBe(theirs.outputPercentileDistribution(5, 1000).split('\n')[0]);
      for (const [ms = NaN, share = NaN] of rowsOf(text)) {
        // where a count is exactly a share, rounding decides which of two it is
        const [least, most] = [-1e-7, 1e-7].map((near) => theirs.getValueAtPercentile(100 * share + near) / 1000);
        expect(ms).toBeGreaterThanOrEqual(0.999 * (least ?? NaN) - 0.001);
        expect(ms).toBeLessThanOrEqual(1.001 * (most ?? NaN) + 0.001);
      }
      expect(rowsOf(text).at(-1)?.slice(1)).toEqual([1, times.length]);
    }),
    { numRuns: 20 },
  );
});

test('a report without every latency gives the percentiles that it has', () => {
  expect(rowsOf(trafficHgrm({ all })).map(([ms, share]) => [ms, share])).toEqual([
    [1, 0.5],
    [2, 0.9],
    [3, 0.95],
    [20, 0.99],
    [100, 0.999],
    [1900, 0.9999],
    [2000, 1],
  ]);
});

test('a load without a request has no row', () => {
  const nothing = { ...all, requests: 0, meanMs: 0, maxMs: 0, histogram: new Histogram().text() };
  expect(rowsOf(trafficHgrm({ all: nothing }))).toEqual([]);
});
