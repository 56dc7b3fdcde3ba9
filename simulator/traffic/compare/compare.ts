import type {
  ComparedFigure,
  SecondSummary,
  ThresholdResult,
  TrafficComparison,
  TrafficReport,
} from '../../../contract/schemas/traffic.ts';
import { confidencePercent, type Figures, figuresOf, ratioIntervals, ratioOf, sampledFrom } from './intervals.ts';

/** Runs that cannot be compared; the message is a sentence that says why. */
export class CompareError extends Error {
  override readonly name = 'CompareError';
}

const figures = ['p50', 'p90', 'p99', 'p99.9', 'mean', 'rate'] as const satisfies readonly (keyof Figures)[];

/** By how much a figure may be worse than before. */
export interface WorseLimit {
  readonly figure: keyof Figures;
  readonly percent: number;
}

const form = /^(?:(?<figure>[a-z0-9.]+) *< *)?(?<percent>\d{1,3}(?:\.\d+)?)%$/;

/** A text as `10%` or `p99<10%`: without a figure the median and p99 are meant. @throws {CompareError} it is none */
export function worseLimitsFrom(text: string): readonly WorseLimit[] {
  const { figure, percent } = form.exec(text.trim())?.groups ?? {};
  const named = figure === undefined ? (['p50', 'p99'] as const) : figures.filter((one) => one === figure);
  if (percent === undefined || named.length === 0)
    throw new CompareError(
      `Expected a share by which a figure may be worse, as 10% or p99<10%, of ${figures.join(', ')}; found '${text}'.`,
    );
  return named.map((one) => ({ figure: one, percent: Number(percent) }));
}

/** Fewer say nothing about how much a run scatters. */
const fewestSeconds = 10;
/** Errors are answered quicker than what was asked for: when there are so many percent more of them, latencies cannot be compared. */
const mostMoreErrors = 1;

/**
 * The later run with what became of each figure since the earlier one, and a threshold for each limit that was decided.
 * @throws {CompareError} they are not runs of the same load, or too short
 */
export function withComparison(
  before: TrafficReport,
  after: TrafficReport,
  limits: readonly WorseLimit[],
): TrafficReport {
  assertSameLoad(before, after);
  const [one, other] = [before, after].map((report) => sampledFrom(wholeSeconds(report)));
  if (one === undefined || other === undefined) return after;
  const [was, is] = [figuresOf(one), figuresOf(other)];
  const intervals = ratioIntervals(one, other);
  const compared = figures.map((figure): ComparedFigure => {
    const { low, high } = intervals[figure];
    const limit = limits.find((each) => each.figure === figure);
    return {
      figure,
      unit: figure === 'rate' ? '/s' : 'ms',
      before: was[figure],
      after: is[figure],
      ratio: ratioOf(was[figure], is[figure]),
      low,
      high,
      ...(limit && { limit: { percent: limit.percent, verdict: verdictOn(limit, low, high) } }),
    };
  });
  const comparison: TrafficComparison = {
    with: {
      startedAt: before.startedAt,
      implementation: before.implementation,
      target: before.target,
      durationMs: before.durationMs,
    },
    method: `Intervals of ${confidencePercent} % by a jackknife over five and ten parts of each run, with Student's t`,
    figures: compared,
  };
  return {
    ...after,
    compared: comparison,
    thresholds: [
      ...after.thresholds,
      ...compared.flatMap(thresholdOf),
      ...(limits.length === 0 ? [] : [errorsOf(before, after)]),
    ],
  };
}

/** Figures with a limit that neither run tells kept or missed. */
export function undecidedIn({ compared }: Pick<TrafficReport, 'compared'>): readonly ComparedFigure[] {
  return (compared?.figures ?? []).filter(({ limit }) => limit?.verdict === 'undecided');
}

/** Of a rate less is worse. */
function verdictOn({ figure, percent }: WorseLimit, low: number, high: number): 'kept' | 'missed' | 'undecided' {
  const [least, most] = figure === 'rate' ? [1 / high, 1 / low] : [low, high];
  const allowed = 1 + percent / 100;
  if (most <= allowed) return 'kept';
  return least > allowed ? 'missed' : 'undecided';
}

function thresholdOf({ figure, limit, ratio, low, high }: ComparedFigure): readonly ThresholdResult[] {
  if (limit === undefined || limit.verdict === 'undecided') return [];
  return [
    {
      text: `${figure} at most ${limit.percent}% worse than before`,
      met: limit.verdict === 'kept',
      found: `${changeText(ratio)} [${changeText(low)}, ${changeText(high)}]`,
    },
  ];
}

function errorsOf(before: TrafficReport, after: TrafficReport): ThresholdResult {
  const [was = 0, is = 0] = [before, after].map(({ all }) =>
    all.requests === 0 ? 0 : (all.errors / all.requests) * 100,
  );
  return {
    text: `errors at most ${mostMoreErrors}% more than before`,
    met: is - was <= mostMoreErrors,
    found: `${Number(was.toPrecision(3))}% before, ${Number(is.toPrecision(3))}% now`,
  };
}

/** As +3.2% or -10%. */
function changeText(ratio: number): string {
  const percent = (ratio - 1) * 100;
  return `${percent < 0 ? '' : '+'}${percent.toFixed(1)}%`;
}

/** Known before a load is made to be compared with it. @throws {CompareError} either is too short */
export function assertLongEnough(before: TrafficReport, durationMs: number): void {
  wholeSeconds(before);
  if (durationMs < fewestSeconds * 1000)
    throw new CompareError(
      `Expected at least ${fewestSeconds} seconds of load to compare, found --duration ${durationMs / 1000}s: ask for more.`,
    );
}

/** Without the last one, which the run ends in. @throws {CompareError} too few, or made without histograms */
function wholeSeconds({ seconds, durationMs, startedAt }: TrafficReport): readonly SecondSummary[] {
  const all = seconds.filter(({ second }) => (second + 1) * 1000 <= durationMs);
  const whole = all.filter(({ histogram }) => histogram !== undefined);
  if (whole.length === 0 && all.length > 0)
    throw new CompareError(`The report of ${startedAt} holds no histograms by second: make it anew with this version.`);
  if (whole.length < fewestSeconds)
    throw new CompareError(
      `Expected at least ${fewestSeconds} whole seconds of load to compare, found ${whole.length} in the run of ${startedAt}: ask for a longer --duration.`,
    );
  return whole;
}

/** The load of a run as it is asked for. */
function optionsFor({ load, stages = [] }: TrafficReport): string {
  const [full, unit] = load.model === 'open' ? [load.rate, ''] : [load.users, 'users'];
  const alone = load.model === 'open' ? `--rate ${full}` : `--users ${full}`;
  const risen = stages.map(({ seconds, to }) => `--stage ${seconds}s:${Number((to * full).toFixed(3))}${unit}`);
  const arrivals = load.model === 'open' && load.arrivals !== undefined ? [`--arrivals ${load.arrivals}`] : [];
  return [...(risen.length === 0 ? [alone] : risen), ...arrivals].join(' ');
}

/** @throws {CompareError} */
function assertSameLoad(before: TrafficReport, after: TrafficReport): void {
  const [one, other] = [optionsFor(before), optionsFor(after)];
  if (one !== other)
    throw new CompareError(
      `Expected a run of the same load to compare with, found ${one} before and ${other} now: ask for the same.`,
    );
  const alone = [onlyIn(before, after), onlyIn(after, before)].flat();
  if (alone.length > 0)
    throw new CompareError(
      `Expected a run of the same journeys to compare with, found ${alone.join(', ')} in one of them alone. Name the same --mix.`,
    );
}

/** A journey of which a run had so many does not stay away from another one by chance. */
const fewestOfAJourney = 20;

function onlyIn({ journeys }: TrafficReport, other: TrafficReport): readonly string[] {
  const known = new Set(other.journeys.map(({ journey }) => journey));
  return journeys
    .filter(({ journey, begun }) => begun >= fewestOfAJourney && !known.has(journey))
    .map(({ journey }) => journey);
}
