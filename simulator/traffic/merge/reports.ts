import type {
  JourneySummary,
  Lateness,
  MinuteSummary,
  SecondSummary,
  ThresholdResult,
  TrafficReport,
} from '../../../contract/schemas/traffic.ts';
import { driftOf } from '../measure/drift.ts';
import { Histogram } from '../../../contract/histogram.ts';
import { delaysIn } from '../measure/latencies.ts';
import { minuteOf, Operation, secondOf, sumOf } from '../measure/tally.ts';
import { judgeThreshold, thresholdFrom } from '../thresholds.ts';
import { mergeRemarks } from '../workers/together.ts';
import { MergeError } from './counts.ts';

export type ReportsByFile = ReadonlyMap<string, TrafficReport>;

/**
 * One report of all segments of a load, as one process would have told it: every latency is in the reports, so no percentile is made from
 * percentiles. @throws {MergeError} the files are no segments of one load, or not all of them
 */
export function mergeReports(files: ReportsByFile): TrafficReport {
  const all = [...files.values()].toSorted((one, other) => numberOf(one) - numberOf(other));
  const [first] = all;
  if (first === undefined) throw new MergeError('Expected the report of at least one segment; name that of each.');
  assertOneLoad(files);
  assertEach(files);
  const journeys = journeysOf(all);
  const steps = journeys.flatMap((journey) => journey.steps ?? []);
  const operations = [...Map.groupBy(steps, ({ op }) => op)]
    .map(([op, same]) => sumOf(same.map(Operation.of)).summary(op))
    .toSorted((one, other) => one.op.localeCompare(other.op));
  const together = sumOf(steps.map(Operation.of)).summary('all');
  const durationMs = Math.max(...all.map((one) => one.durationMs));
  const bySecond = secondsOf(all);
  const seconds = Math.max(durationMs, 1) / 1000;
  const { segment: _segment, minutes: _minutes, drift: _drift, lateness: _lateness, ...same } = first;
  return {
    ...same,
    ...flagsOf(all),
    startedAt: all.map(({ startedAt }) => startedAt).toSorted()[0] ?? first.startedAt,
    workers: sum(all, ({ workers }) => workers),
    durationMs,
    requestsPerSecond: together.requests / seconds,
    all: together,
    operations,
    journeys: [...journeys],
    seconds: [...bySecond],
    ...minutesOf(bySecond, all),
    ...latenessOf(all),
    judged: { ratio: first.judged.ratio, exchanges: sum(all, ({ judged }) => judged.exchanges) },
    violations: onceEach(all.flatMap(({ violations }) => violations)),
    ...(all.some(({ declared = [] }) => declared.length > 0) && {
      declared: onceEach(all.flatMap(({ declared = [] }) => declared)),
    }),
    ...deliveriesOf(all),
    thresholds: first.thresholds.map((_, index) =>
      thresholdOf(
        all.flatMap(({ thresholds }) => thresholds[index] ?? []),
        (text) => judgeThreshold(thresholdFrom(text), [...operations, together], seconds),
      ),
    ),
    remarks: [
      `Added up from ${all.length} segments, every latency of them.`,
      ...mergeRemarks(all.map(({ remarks }) => remarks)),
    ],
  };
}

const numberOf = ({ segment }: TrafficReport): number => segment?.number ?? 0;

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

/** What is the same in every segment of one load, by what it is called. */
const sameInAll: Readonly<Record<string, (report: TrafficReport) => unknown>> = {
  'the load': ({ load, stages }) => ({ load, stages }),
  'the seed': ({ seed }) => seed,
  'the implementation': ({ implementation }) => implementation,
  'the thresholds': ({ thresholds }) => thresholds.map(({ text }) => text),
  'the judged share': ({ judged }) => judged.ratio,
  'the number of segments': ({ segment }) => segment?.of,
  'the --start-at': ({ segment }) => segment?.startAt,
};

/** @throws {MergeError} */
function assertOneLoad(files: ReportsByFile): void {
  const [[firstFile, first] = [], ...others] = files;
  if (firstFile === undefined || first === undefined) return;
  for (const [file, report] of files)
    if (report.segment === undefined)
      throw new MergeError(`Expected the report of a segment in ${file}, found that of a whole load; leave it out.`);
  for (const [file, report] of others)
    for (const [name, of] of Object.entries(sameInAll)) {
      const [expected, found] = [first, report].map((one) => JSON.stringify(of(one)) ?? 'none');
      if (expected !== found)
        throw new MergeError(
          `Expected ${name} ${expected}, as in ${firstFile}, found ${found} in ${file}. Merge the segments of one load only.`,
        );
    }
}

/** @throws {MergeError} a segment is there twice, or not at all */
function assertEach(files: ReportsByFile): void {
  const byNumber = Map.groupBy(files, ([, report]) => numberOf(report));
  const [[, first] = []] = files;
  for (const [number, same] of byNumber)
    if (same.length > 1)
      throw new MergeError(
        `Expected each segment once, found number ${number} in ${same.map(([file]) => file).join(' and ')}. Leave one of them out.`,
      );
  const of = first?.segment?.of ?? 1;
  for (let number = 1; number <= of; number += 1)
    if (!byNumber.has(number)) throw new MergeError(`The segment ${number}/${of} is missing. Name its report as well.`);
}

function flagsOf(all: readonly TrafficReport[]): Pick<TrafficReport, 'interrupted' | 'endedEarly'> {
  return {
    ...(all.some(({ interrupted }) => interrupted === true) && { interrupted: true }),
    ...(all.some(({ endedEarly }) => endedEarly === true) && { endedEarly: true }),
  };
}

function journeysOf(all: readonly TrafficReport[]): readonly JourneySummary[] {
  const byName = Map.groupBy(
    all.flatMap(({ journeys }) => journeys),
    ({ journey }) => journey,
  );
  return [...byName]
    .map(([journey, same]) => ({
      journey,
      begun: sum(same, ({ begun }) => begun),
      whole: sum(same, ({ whole }) => whole),
      steps: [
        ...Map.groupBy(
          same.flatMap(({ steps = [] }) => steps),
          ({ op }) => op,
        ),
      ]
        .map(([op, parts]) => sumOf(parts.map(Operation.of)).wholeSummary(op))
        .toSorted((one, other) => one.op.localeCompare(other.op)),
    }))
    .toSorted((one, other) => one.journey.localeCompare(other.journey));
}

/** By their numbers, as all segments began at the same time. */
function secondsOf(all: readonly TrafficReport[]): readonly SecondSummary[] {
  const byNumber = Map.groupBy(
    all.flatMap(({ seconds }) => seconds),
    ({ second }) => second,
  );
  return [...byNumber]
    .toSorted(([one], [other]) => one - other)
    .map(([second, same]) => {
      const violations = sum(same, (one) => one.violations ?? 0);
      return {
        ...secondOf(
          second,
          addUp(same),
          sum(same, ({ errors }) => errors),
        ),
        ...(violations > 0 && { violations }),
      };
    });
}

function addUp(parts: readonly { readonly histogram?: string }[]): Histogram {
  const total = new Histogram();
  for (const { histogram } of parts) if (histogram !== undefined) total.add(Histogram.of(histogram));
  return total;
}

const secondsOfAMinute = 60;

/** Those that are over; only where every segment told some. */
function minutesOf(
  seconds: readonly SecondSummary[],
  all: readonly TrafficReport[],
): Pick<TrafficReport, 'minutes' | 'drift'> {
  const whole = Math.floor((seconds.at(-1)?.second ?? 0) / secondsOfAMinute);
  if (whole < 2 || seconds.some(({ histogram }) => histogram === undefined)) return {};
  const minutes = Array.from({ length: whole }, (_, minute): MinuteSummary => {
    const within = seconds.filter(({ second }) => Math.floor(second / secondsOfAMinute) === minute);
    return minuteOf(
      minute,
      addUp(within),
      sum(within, ({ errors }) => errors),
    );
  });
  const counted = Math.min(...all.map(({ drift }) => drift?.minutes ?? 0));
  const drift = counted === 0 ? undefined : driftOf(minutes, whole - counted);
  return { minutes, ...(drift && { drift }) };
}

/** A worker of a later segment comes behind those of the earlier ones. */
function latenessOf(all: readonly TrafficReport[]): { readonly lateness?: Lateness } {
  const told = all.flatMap(({ lateness }) => lateness ?? []);
  if (told.length === 0) return {};
  let before = 0;
  const behind = all.flatMap(({ lateness, workers }) => {
    const shift = before;
    before += workers;
    return (lateness?.behind ?? []).map((one) => ({ ...one, worker: one.worker + shift }));
  });
  return {
    lateness: {
      ...delaysIn(addUp(told)),
      skipped: sum(told, ({ skipped }) => skipped),
      ...(behind.length > 0 && { behind }),
    },
  };
}

function deliveriesOf(all: readonly TrafficReport[]): Pick<TrafficReport, 'deliveries'> {
  const told = all.flatMap(({ deliveries }) => deliveries ?? []);
  if (told.length === 0) return {};
  return {
    deliveries: {
      triggered: sum(told, ({ triggered }) => triggered),
      arrived: sum(told, ({ arrived }) => arrived),
      ...delaysIn(addUp(told)),
    },
  };
}

/** A rule that several segments saw broken is told once, with what the first of them has to show. */
function onceEach<T extends { readonly rule: string; readonly count: number }>(found: readonly T[]): T[] {
  return [...Map.groupBy(found, ({ rule }) => rule).values()]
    .flatMap((same) => (same[0] === undefined ? [] : [{ ...same[0], count: sum(same, ({ count }) => count) }]))
    .toSorted((one, other) => one.rule.localeCompare(other.rule));
}

/** Judged anew by the figures of all; a limit that each segment held by itself is kept where all kept it. */
function thresholdOf(parts: readonly ThresholdResult[], judge: (text: string) => ThresholdResult): ThresholdResult {
  const [first] = parts;
  const text = first?.text ?? '';
  try {
    return judge(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const missed = parts.find(({ met }) => !met);
    return { text, met: missed === undefined, found: (missed ?? first)?.found ?? '' };
  }
}
