import { build } from 'hdr-histogram-js';

/** Longest time that is told apart, in ms. */
const longestMs = 3_600_000;

/** Times in ms, kept in µs to three digits. */
export interface Histogram {
  record(ms: number): void;
  /** In ms; 0 when nothing was recorded. */
  percentile(percent: number): number;
  readonly count: number;
  readonly mean: number;
  readonly max: number;
  reset(): void;
}

export function openHistogram(): Histogram {
  const histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: longestMs * 1000,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: 32,
    useWebAssembly: false,
  });
  return {
    record: (ms) => histogram.recordValue(Math.round(Math.min(Math.max(ms, 0), longestMs) * 1000)),
    percentile: (percent) => (histogram.totalCount === 0 ? 0 : histogram.getValueAtPercentile(percent) / 1000),
    get count() {
      return histogram.totalCount;
    },
    get mean() {
      return histogram.totalCount === 0 ? 0 : histogram.mean / 1000;
    },
    get max() {
      return histogram.maxValue / 1000;
    },
    reset: () => histogram.reset(),
  };
}
