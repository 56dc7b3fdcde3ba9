import type { SecondSummary } from '../../../contract/schemas/traffic.ts';
import { Histogram } from '../../../contract/histogram.ts';

/** What is compared of two runs. */
export interface Figures {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly 'p99.9': number;
  readonly mean: number;
  readonly rate: number;
}

/** Some seconds of a run together. */
interface Part {
  readonly seconds: number;
  readonly latency: Histogram;
}

/** A run as far as its figures can be made anew without some of its seconds. */
export type Sampled = readonly Part[];

/**
 * Seconds that follow each other are alike, and five parts of a run nearly not. How much less five parts scatter than they would if they were
 * independent is told by the same with parts of half that length, and made good by it: the lugsail estimator of Vats and Flegal.
 */
const [parts, halves] = [5, 10];

/** @param seconds whole ones, each with its histogram */
export function sampledFrom(seconds: readonly SecondSummary[]): Sampled {
  const at = (index: number): number => Math.round((index * seconds.length) / halves);
  return Array.from({ length: halves }, (_, index) => {
    const own = seconds.slice(at(index), at(index + 1));
    return together(own.map(({ histogram = '' }) => ({ seconds: 1, latency: Histogram.of(histogram) })));
  });
}

function together(some: readonly Part[]): Part {
  const latency = new Histogram();
  for (const part of some) latency.add(part.latency);
  return { seconds: some.reduce((sum, { seconds }) => sum + seconds, 0), latency };
}

export function figuresOf(run: Sampled): Figures {
  const { seconds, latency } = together(run);
  return {
    p50: latency.percentile(50),
    p90: latency.percentile(90),
    p99: latency.percentile(99),
    'p99.9': latency.percentile(99.9),
    mean: latency.mean,
    rate: seconds === 0 ? 0 : latency.count / seconds,
  };
}

/** Figures of the run without each of so many parts, in turn. */
function figuresWithout(run: Sampled, count: number): readonly Figures[] {
  const length = halves / count;
  return Array.from({ length: count }, (_, part) =>
    figuresOf(run.filter((_half, index) => Math.floor(index / length) !== part)),
  );
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Share of intervals that hold the true ratio, in percent. */
export const confidencePercent = 95;
/** Two-sided, of the normal distribution. */
const normal = 1.959964;

/** Where the ratio of each figure, after by before, lies: by a jackknife of their logarithms. */
export function ratioIntervals(before: Sampled, after: Sampled): Readonly<Record<keyof Figures, Interval>> {
  const [was, is] = [figuresOf(before), figuresOf(after)];
  const left = [before, after].map((run) => ({
    ofParts: figuresWithout(run, parts),
    ofHalves: figuresWithout(run, halves),
  }));
  const intervalOf = (figure: keyof Figures): Interval => {
    const variances = left.map(({ ofParts, ofHalves }) => {
      const coarse = jackknifeVariance(ofParts.map((without) => without[figure]));
      return Math.max(coarse, 2 * coarse - jackknifeVariance(ofHalves.map((without) => without[figure])));
    });
    const ratio = ratioOf(was[figure], is[figure]);
    const reach = Math.exp(halfWidth(variances));
    return { low: ratio / reach, high: ratio * reach };
  };
  return {
    p50: intervalOf('p50'),
    p90: intervalOf('p90'),
    p99: intervalOf('p99'),
    'p99.9': intervalOf('p99.9'),
    mean: intervalOf('mean'),
    rate: intervalOf('rate'),
  };
}

/** Of the logarithm of a figure, from its values without each part. */
function jackknifeVariance(values: readonly number[]): number {
  const logs = values.map((value) => Math.log(atLeast(value)));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return ((logs.length - 1) / logs.length) * logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
}

/** Of a difference whose two sides have these variances, with the degrees of freedom of Welch and the quantile of Student. */
function halfWidth(variances: readonly number[]): number {
  const sum = variances.reduce((all, variance) => all + variance, 0);
  if (sum === 0) return 0;
  const freedom = sum ** 2 / variances.reduce((all, variance) => all + variance ** 2 / (parts - 1), 0);
  return studentQuantile(freedom) * Math.sqrt(sum);
}

/** Exact to a hundredth from 4 degrees of freedom on. Source: Abramowitz and Stegun, 26.7.5 */
function studentQuantile(freedom: number): number {
  const z = normal;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / freedom + second / freedom ** 2 + third / freedom ** 3;
}

/** After by before; times below what is told apart count as that. */
export function ratioOf(before: number, after: number): number {
  return atLeast(after) / atLeast(before);
}

function atLeast(value: number): number {
  return Math.max(value, 0.001);
}
