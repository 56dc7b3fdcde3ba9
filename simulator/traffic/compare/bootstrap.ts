import type { SecondSummary } from '../../../contract/schemas/traffic.ts';
import { randomFrom } from '../chance.ts';
import { Histogram } from '../measure/histogram.ts';

/** Part of a run: one second, or several in a long run. */
interface Stretch {
  readonly seconds: number;
  readonly requests: number;
  readonly totalMs: number;
  /** Places in the list of all edges of the run, and how many latencies end there. */
  readonly places: Uint32Array;
  readonly times: Float64Array;
}

/** A run as far as its figures can be made anew from some of its seconds. */
export interface Sampled {
  readonly stretches: readonly Stretch[];
  /** Upper edges of all buckets that hold something, in ms, in order. */
  readonly edges: Float64Array;
}

/** Long runs are cut into no more stretches than that, so that a comparison takes a second. */
const mostStretches = 120;

/** @param seconds whole ones, each with its histogram */
export function sampledFrom(seconds: readonly SecondSummary[]): Sampled {
  const width = Math.ceil(seconds.length / mostStretches) || 1;
  const merged = Array.from({ length: Math.floor(seconds.length / width) }, (_, index) => {
    const sum = new Histogram();
    for (const { histogram = '' } of seconds.slice(index * width, (index + 1) * width))
      sum.add(Histogram.of(histogram));
    return { sum, buckets: [...sum.buckets()] };
  });
  const edges = Float64Array.from(new Set(merged.flatMap(({ buckets }) => buckets.map(([edge]) => edge)))).toSorted();
  const placeOf = new Map([...edges].map((edge, place) => [edge, place]));
  const stretches = merged.map(({ sum, buckets }) => ({
    seconds: width,
    requests: sum.count,
    totalMs: sum.mean * sum.count,
    places: Uint32Array.from(buckets, ([edge]) => placeOf.get(edge) ?? 0),
    times: Float64Array.from(buckets, ([, times]) => times),
  }));
  return { stretches, edges };
}

/** What is compared of two runs. */
export interface Figures {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly 'p99.9': number;
  readonly mean: number;
  readonly rate: number;
}

/** Figures of the run as if its seconds had come as often as the weights say. */
export function figuresOf({ stretches, edges }: Sampled, weights: readonly number[]): Figures {
  const counts = new Float64Array(edges.length);
  let [requests, totalMs, seconds] = [0, 0, 0];
  for (const [index, stretch] of stretches.entries()) {
    const weight = weights[index] ?? 0;
    if (weight === 0) continue;
    requests += weight * stretch.requests;
    totalMs += weight * stretch.totalMs;
    seconds += weight * stretch.seconds;
    const { places, times } = stretch;
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at] ?? 0;
      counts[place] = (counts[place] ?? 0) + weight * (times[at] ?? 0);
    }
  }
  const at = (percent: number): number => percentileIn(counts, edges, Math.ceil((percent / 100) * requests - 1e-9));
  return {
    p50: at(50),
    p90: at(90),
    p99: at(99),
    'p99.9': at(99.9),
    mean: requests === 0 ? 0 : totalMs / requests,
    rate: seconds === 0 ? 0 : requests / seconds,
  };
}

function percentileIn(counts: Float64Array, edges: Float64Array, rank: number): number {
  let left = Math.max(1, rank);
  for (let place = 0; place < counts.length; place += 1) {
    left -= counts[place] ?? 0;
    if (left <= 0) return edges[place] ?? 0;
  }
  return 0;
}

/** Seconds that follow each other are alike, so blocks of them are drawn, the longer the longer the run. */
export function blockLengthOf(stretches: number): number {
  return Math.max(1, Math.round(1.75 * Math.cbrt(stretches)));
}

/** From few blocks the scatter is found too small: by how much an interval is widened, as Student's t is beside the normal distribution. */
function wideningFor(...runs: readonly Sampled[]): number {
  const freedom = runs.reduce((sum, { stretches: { length } }) => sum + length / blockLengthOf(length) - 1, 0);
  const [normal, first, second] = [1.96, 2.37, 2.8];
  return (normal + first / freedom + second / freedom ** 2) / normal;
}

/** How often each stretch comes in a run of the same length that is put together from blocks drawn by chance, the end joined to the beginning. */
export function drawWeights(stretches: number, random: () => number): readonly number[] {
  const weights = Array.from({ length: stretches }, () => 0);
  const length = blockLengthOf(stretches);
  for (let drawn = 0; drawn < stretches;) {
    const from = Math.floor(random() * stretches);
    for (let step = 0; step < length && drawn < stretches; step += 1, drawn += 1) {
      const at = (from + step) % stretches;
      weights[at] = (weights[at] ?? 0) + 1;
    }
  }
  return weights;
}

/** Runs put together that way; more change the ends of an interval by less than a hundredth of it. */
const resamples = 1000;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Share of intervals that hold the true ratio, in percent. */
export const confidencePercent = 95;

/** Where the ratio of each figure, after by before, lies: always the same for the same runs. */
export function ratioIntervals(before: Sampled, after: Sampled): Readonly<Record<keyof Figures, Interval>> {
  const random = randomFrom(before.stretches.length, after.stretches.length);
  const drawn = Array.from({ length: resamples }, () => {
    const [one, other] = [before, after].map((run) => figuresOf(run, drawWeights(run.stretches.length, random)));
    return { one, other };
  });
  const [was, is] = [before, after].map((run) =>
    figuresOf(
      run,
      run.stretches.map(() => 1),
    ),
  );
  const widening = wideningFor(before, after);
  const intervalOf = (figure: keyof Figures): Interval => {
    const found = ratioOf(was?.[figure] ?? 0, is?.[figure] ?? 0);
    const ratios = drawn
      .map(({ one, other }) => ratioOf(one?.[figure] ?? 0, other?.[figure] ?? 0))
      .toSorted((one, other) => one - other);
    const out = (1 - confidencePercent / 100) / 2;
    const at = (share: number): number => {
      const ratio = ratios[Math.min(resamples - 1, Math.floor(share * resamples))] ?? NaN;
      return found * (ratio / found) ** widening;
    };
    return { low: at(out), high: at(1 - out) };
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

/** After by before; times below what is told apart count as that. */
export function ratioOf(before: number, after: number): number {
  const least = 0.001;
  return Math.max(after, least) / Math.max(before, least);
}
