import type { Drift, MinuteSummary } from '../../../contract/schemas/traffic.ts';

/** From fewer minutes a slope says nothing. */
const fewestMinutes = 6;
const minutesOfAnHour = 60;

/**
 * How p99 changes over the minutes of a load that stays the same: the median of the slopes between any two of them, which no single bad minute
 * moves, and how likely chance alone orders minutes so. @param from first minute of the full load
 */
export function driftOf(minutes: readonly MinuteSummary[], from: number): Drift | undefined {
  const all = minutes.filter(({ minute, requests }) => minute >= from && requests > 0);
  if (all.length < fewestMinutes) return undefined;
  const pairs = all.flatMap((one, index) => all.slice(index + 1).map((other) => [one, other] as const));
  const slope = medianOf(pairs.map(([one, other]) => (other.p99Ms - one.p99Ms) / (other.minute - one.minute)));
  const usual = medianOf(all.map(({ p99Ms }) => p99Ms));
  const risen = pairs.reduce((sum, [one, other]) => sum + Math.sign(other.p99Ms - one.p99Ms), 0);
  return {
    minutes: all.length,
    perHourPercent: usual === 0 ? 0 : (slope * minutesOfAnHour * 100) / usual,
    chance: chanceOf(risen, all.length),
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [low = 0, high = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return (low + high) / 2;
}

/** Of so many more pairs that rise than fall, or the other way round, among `count` values: by the normal distribution, both sides. */
function chanceOf(risen: number, count: number): number {
  const variance = (count * (count - 1) * (2 * count + 5)) / 18;
  const distance = Math.max(0, Math.abs(risen) - 1) / Math.sqrt(variance);
  return Math.min(1, 2 * tailBeyond(distance));
}

/** Of the normal distribution, to four digits (Abramowitz and Stegun 26.2.17). */
function tailBeyond(distance: number): number {
  const t = 1 / (1 + 0.2316419 * distance);
  const weights = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153];
  const sum = weights.reduce((total, weight) => (total + weight) * t, 0);
  return (Math.exp((-distance * distance) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}
