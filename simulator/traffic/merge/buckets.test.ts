import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addBuckets, bucketOf, edgeOf, lastBucket, percentileOf } from './buckets.ts';

const latency = fc.double({ min: 0, max: 120_000, noNaN: true });
const latencies = fc.array(latency, { minLength: 1, maxLength: 300 });

function counted(values: readonly number[]): Record<string, number> {
  return values.map((ms) => ({ [bucketOf(ms)]: 1 })).reduce(addBuckets, {});
}

test('a latency lies between the edges of its bucket', () => {
  fc.assert(
    fc.property(latency, (ms) => {
      const bucket = bucketOf(ms);
      // a latency on the edge may fall on either side, by the rounding of the logarithm
      if (bucket < lastBucket) expect(ms).toBeLessThanOrEqual(edgeOf(bucket) * (1 + 1e-12));
      if (bucket > 0) expect(ms).toBeGreaterThan(edgeOf(bucket - 1) * (1 - 1e-12));
    }),
  );
});

test.each([
  [0, 0],
  [1 / 16, 0],
  [0.07, 1],
  [1, 16],
  [1.01, 17],
  [2, 20],
  [60_000, lastBucket],
  [Infinity, lastBucket],
])('%d ms is in bucket %d', (ms, bucket) => {
  expect(bucketOf(ms)).toBe(bucket);
});

test('edges are a fourth of a doubling apart', () => {
  expect([edgeOf(16), edgeOf(20), edgeOf(24)]).toEqual([1, 2, 4]);
});

test.each([-1, lastBucket + 1, 0.5, NaN])('there is no bucket %d', (bucket) => {
  expect(() => edgeOf(bucket)).toThrow(`Expected a bucket from 0 to ${lastBucket}`);
});

test('a percentile is in the bucket of the exact one, however the latencies were dealt out', () => {
  fc.assert(
    fc.property(
      latencies,
      fc.array(fc.nat({ max: 4 }), { minLength: 300, maxLength: 300 }),
      fc.constantFrom(50, 90, 95, 99, 100),
      (values, dealt, percent) => {
        const parts = [0, 1, 2, 3, 4].map((part) => counted(values.filter((_, index) => dealt[index] === part)));
        const sorted = values.toSorted((one, other) => one - other);
        const exact = sorted[Math.max(1, Math.ceil((percent / 100) * values.length)) - 1] ?? NaN;
        const longest = Math.max(...values);
        const found = percentileOf(parts.reduce(addBuckets, {}), percent, longest);
        expect(found).toBe(percentileOf(counted(values), percent, longest));
        expect(Math.abs(bucketOf(found) - bucketOf(exact))).toBeLessThanOrEqual(1);
      },
    ),
  );
});

test('of nothing a percentile is 0', () => {
  expect(percentileOf({}, 99, 0)).toBe(0);
});
