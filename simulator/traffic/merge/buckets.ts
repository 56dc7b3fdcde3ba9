/** Parts that each doubling of the time is cut into: an edge is 19 % above the one before. */
const partsOfADoubling = 4;
/** Upper edge of the first bucket: what is quicker is not told apart. */
const firstEdgeMs = 1 / 16;
const doublings = 20;

/** Number of the last bucket, which holds everything beyond its lower edge of 55 s. */
export const lastBucket = doublings * partsOfADoubling;

/** Number of the bucket that a latency falls into, from 0. */
export function bucketOf(ms: number): number {
  if (ms <= firstEdgeMs) return 0;
  return Math.min(lastBucket, Math.ceil(Math.log2(ms / firstEdgeMs) * partsOfADoubling));
}

/** Longest latency that a bucket holds, in ms; of the last one, the edge where it would end. @throws {RangeError} no such bucket */
export function edgeOf(bucket: number): number {
  if (!Number.isInteger(bucket) || bucket < 0 || bucket > lastBucket)
    throw new RangeError(`Expected a bucket from 0 to ${lastBucket}, found ${bucket}.`);
  return firstEdgeMs * 2 ** (bucket / partsOfADoubling);
}

/** Count of each bucket by its number, as JSON holds it. */
export type BucketCounts = Readonly<Record<string, number>>;

/** Upper edge of the bucket that holds the percentile, in ms, never above the longest latency seen; 0 of nothing. */
export function percentileOf(counts: BucketCounts, percent: number, longestMs: number): number {
  const filled = Object.entries(counts).map(([bucket, count]) => ({ bucket: Number(bucket), count }));
  const total = filled.reduce((sum, { count }) => sum + count, 0);
  let left = Math.max(1, Math.ceil((percent / 100) * total));
  for (const { bucket, count } of filled.toSorted((one, other) => one.bucket - other.bucket)) {
    left -= count;
    if (left <= 0) return bucket === lastBucket ? longestMs : Math.min(edgeOf(bucket), longestMs);
  }
  return 0;
}

/** Counts of both. */
export function addBuckets(one: BucketCounts, other: BucketCounts): Record<string, number> {
  const sum: Record<string, number> = { ...one };
  for (const [name, count] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
