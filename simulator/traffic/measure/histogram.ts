import { build } from 'hdr-histogram-js';

/** Longest time that is told apart, in ms. */
const longestMs = 3_600_000;

/** Times in ms, kept in µs to three digits. */
export interface Histogram {
  record(ms: number): void;
  /** In ms, never above the longest; 0 when nothing was recorded. */
  percentile(percent: number): number;
  /** Counts what another one has recorded as well. */
  add(other: Histogram): void;
  readonly count: number;
  readonly mean: number;
  readonly max: number;
  reset(): void;
}

export function openHistogram(): Histogram {
  return new MicrosecondHistogram();
}

class MicrosecondHistogram implements Histogram {
  readonly #counts = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: longestMs * 1000,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: 32,
    useWebAssembly: false,
  });

  record(ms: number): void {
    this.#counts.recordValue(Math.round(Math.min(Math.max(ms, 0), longestMs) * 1000));
  }

  percentile(percent: number): number {
    return this.count === 0 ? 0 : Math.min(this.#counts.getValueAtPercentile(percent) / 1000, this.max);
  }

  add(other: Histogram): void {
    if (!(other instanceof MicrosecondHistogram)) throw new TypeError('Expected a histogram that was opened here.');
    this.#counts.add(other.#counts);
  }

  get count(): number {
    return this.#counts.totalCount;
  }

  get mean(): number {
    return this.count === 0 ? 0 : this.#counts.mean / 1000;
  }

  get max(): number {
    return this.#counts.maxValue / 1000;
  }

  reset(): void {
    this.#counts.reset();
  }
}
