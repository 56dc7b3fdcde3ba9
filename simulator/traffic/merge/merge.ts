import type { JourneySummary, OperationSummary, TrafficReport } from '../../../contract/schemas/traffic.ts';
import { latenciesBy } from '../measure/latencies.ts';
import { judgeThreshold, thresholdFrom } from '../thresholds.ts';
import { addBuckets, percentileOf } from './buckets.ts';
import { MergeError, type OperationCounts, type SegmentCounts } from './counts.ts';

export type CountsByFile = ReadonlyMap<string, SegmentCounts>;

/** One report of all segments of a run. @throws {MergeError} the files are no segments of one run, or not all of them */
export function mergeCounts(files: CountsByFile): TrafficReport {
  const all = [...files.values()];
  const [first] = all;
  if (first === undefined)
    throw new MergeError('Expected the counts of at least one segment; name the counts.json of each.');
  assertOneRun(files);
  assertWhole(all.map(({ segment }) => segment));
  const { implementation, target, seed, load, thresholds } = first.run;
  const durationMs = Math.max(...all.map((segment) => segment.durationMs));
  const seconds = Math.max(durationMs, 1) / 1000;
  const byOperation = addOperations(all);
  const operations = [...byOperation]
    .map(([op, counts]) => summaryOf(op, counts))
    .toSorted((one, other) => one.op.localeCompare(other.op));
  const judged = all.reduce((sum, segment) => sum + segment.judged, 0);
  const together = summaryOf('all', [...byOperation.values()].reduce(addCounts, nothing));
  return {
    schemaVersion: 1,
    kind: 'traffic',
    implementation,
    target,
    seed,
    load,
    workers: all.length,
    startedAt: all.map(({ startedAt }) => startedAt).toSorted()[0] ?? first.startedAt,
    durationMs: Math.round(durationMs),
    requestsPerSecond: together.requests / seconds,
    all: together,
    operations,
    journeys: journeysOf(all),
    seconds: [],
    judged: { ratio: together.requests === 0 ? 0 : Math.min(1, judged / together.requests), exchanges: judged },
    violations: violationsOf(all),
    thresholds: thresholds.map((text) => judgeThreshold(thresholdFrom(text), [...operations, together], seconds)),
    remarks: remarksOn(all),
  };
}

/** @throws {MergeError} */
function assertOneRun(files: CountsByFile): void {
  const [[firstFile, first] = [], ...others] = files;
  if (firstFile === undefined || first === undefined) return;
  for (const [file, counts] of others) {
    for (const [member, name] of Object.entries(sameInAll)) {
      const [expected, found] = [first, counts].map(({ run }) => JSON.stringify(run[member as keyof typeof sameInAll]));
      if (expected !== found)
        throw new MergeError(
          `Expected ${name} ${expected}, as in ${firstFile}, found ${found} in ${file}. Merge the segments of one export only.`,
        );
    }
    if (counts.sequence === null || counts.sequence !== first.sequence)
      throw new MergeError(
        `Expected the same --execution-segment-sequence in every segment, found ${first.sequence ?? 'none'} in ${firstFile} and ${counts.sequence ?? 'none'} in ${file}. Without it journeys are made twice or not at all: run the segments again.`,
      );
  }
}

const sameInAll = {
  mix: 'the mix',
  seed: 'the seed',
  load: 'the load',
  durationMs: 'a duration in ms of',
  implementation: 'the implementation',
  target: 'the target',
  thresholds: 'the thresholds',
} as const satisfies Record<keyof SegmentCounts['run'], string>;

const nothing: OperationCounts = { accepted: {}, errors: {}, outcomes: {}, totalMs: 0, maxMs: 0 };

function addCounts(one: OperationCounts, other: OperationCounts): OperationCounts {
  return {
    accepted: addBuckets(one.accepted, other.accepted),
    errors: addBuckets(one.errors, other.errors),
    outcomes: addBuckets(one.outcomes, other.outcomes),
    totalMs: one.totalMs + other.totalMs,
    maxMs: Math.max(one.maxMs, other.maxMs),
  };
}

function addOperations(segments: readonly SegmentCounts[]): ReadonlyMap<string, OperationCounts> {
  const sum = new Map<string, OperationCounts>();
  for (const { operations } of segments)
    for (const [op, counts] of Object.entries(operations)) sum.set(op, addCounts(sum.get(op) ?? nothing, counts));
  return sum;
}

function summaryOf(op: string, { accepted, errors, outcomes, totalMs, maxMs }: OperationCounts): OperationSummary {
  const buckets = addBuckets(accepted, errors);
  const requests = countOf(buckets);
  return {
    op,
    requests,
    errors: countOf(errors),
    outcomes: Object.fromEntries(Object.entries(outcomes).toSorted(([one], [other]) => one.localeCompare(other))),
    meanMs: requests === 0 ? 0 : totalMs / requests,
    ...latenciesBy((percent) => percentileOf(buckets, percent, maxMs), maxMs),
  };
}

function countOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function journeysOf(segments: readonly SegmentCounts[]): JourneySummary[] {
  const byName = Map.groupBy(
    segments.flatMap(({ journeys }) => Object.entries(journeys)),
    ([name]) => name,
  );
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  return [...byName]
    .map(([journey, list]) => ({
      journey,
      begun: sum(list.map(([, { begun }]) => begun)),
      whole: sum(list.map(([, { whole }]) => whole)),
    }))
    .toSorted((one, other) => one.journey.localeCompare(other.journey));
}

function violationsOf(segments: readonly SegmentCounts[]): TrafficReport['violations'] {
  const counts = segments.map(({ violations }) => violations).reduce(addBuckets, {});
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([rule, count]) => ({
      rule,
      count,
      expected: 'what the journey looked at to hold',
      actual: 'it does not hold; segments count this and keep no answers',
    }));
}

/** Journeys that could not begin. */
export function skippedIn(segments: Iterable<SegmentCounts>): number {
  return [...segments].reduce((sum, { skipped }) => sum + skipped, 0);
}

function remarksOn(segments: readonly SegmentCounts[]): string[] {
  const skipped = skippedIn(segments);
  return [
    `Added up from ${segments.length === 1 ? '1 segment' : `${segments.length} segments`}. Percentiles are upper edges of latency buckets, each 19 % above the one before.`,
    'Latency counts from when a request was sent, not from when it was due: a service that falls behind shows as journeys that could not begin.',
    'Refusals and what journeys look at themselves were judged; pages, versions and contents were not.',
    ...(skipped === 0
      ? []
      : [
          `${skipped} journeys could not begin, because all users that k6 may have were busy: what was asked for was not sent.`,
        ]),
  ];
}

/** A part of a run: the fractions that it begins and ends with. */
interface Segment {
  readonly text: string;
  readonly from: Fraction;
  readonly to: Fraction;
}

interface Fraction {
  readonly text: string;
  readonly over: bigint;
  readonly under: bigint;
}

const end: Fraction = { text: '1', over: 1n, under: 1n };
const start: Fraction = { text: '0', over: 0n, under: 1n };

/** Makes sure that the segments are one whole run: from 0 to 1, each part once. @throws {MergeError} one overlaps another, or is missing */
export function assertWhole(texts: readonly string[]): void {
  const segments = texts
    .map(segmentOf)
    .toSorted((one, other) => compareFractions(one.from, other.from) || compareFractions(one.to, other.to));
  let reached = start;
  let before = '';
  for (const { text, from, to } of segments) {
    if (compareFractions(from, reached) < 0)
      throw new MergeError(
        `The segments ${before} and ${text} overlap: expected each part of the run once. Leave out the file that was counted twice.`,
      );
    if (compareFractions(from, reached) > 0) throw new MergeError(missingMessage(reached, from));
    [reached, before] = [to, text];
  }
  if (compareFractions(reached, end) < 0) throw new MergeError(missingMessage(reached, end));
}

function missingMessage(from: Fraction, to: Fraction): string {
  return `The segment ${from.text}:${to.text} is missing: expected the counts of every part of the run. Name its file as well.`;
}

/** @throws {MergeError} no part of a run */
function segmentOf(text: string): Segment {
  const [from, to] = text.split(':').map(fractionOf);
  if (from === undefined || to === undefined || compareFractions(from, to) >= 0 || compareFractions(to, end) > 0)
    throw new MergeError(`Expected a segment as 0:1/2, that ends after it begins and not beyond 1, found ${text}.`);
  return { text, from, to };
}

function fractionOf(text: string): Fraction {
  const [over = '0', under = '1'] = text.split('/');
  return { text, over: BigInt(over), under: BigInt(under) };
}

function compareFractions(one: Fraction, other: Fraction): number {
  const difference = one.over * other.under - other.over * one.under;
  return Number(difference > 0n) - Number(difference < 0n);
}
