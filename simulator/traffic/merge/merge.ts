import type { JourneySummary, OperationSummary, TrafficReport } from '../../../contract/schemas/traffic.ts';
import { judgeThreshold, thresholdFrom } from '../thresholds.ts';
import { addedBuckets, percentileOf } from './buckets.ts';
import type { OperationCounts, SegmentCounts } from './counts.ts';
import { MergeError } from './merge-error.ts';
import { assertWhole } from './segments.ts';

/** Counts by the file that they were read from. */
export type CountsByFile = ReadonlyMap<string, SegmentCounts>;

/** One report of all segments of a run. @throws {MergeError} the files are no segments of one run, or not all of them */
export function merged(files: CountsByFile): TrafficReport {
  const all = [...files.values()];
  const [first] = all;
  if (first === undefined)
    throw new MergeError('Expected the counts of at least one segment; name the counts.json of each.');
  assertOneRun(files);
  assertWhole(all.map(({ segment }) => segment));
  const { implementation, target, seed, load, thresholds } = first.run;
  const durationMs = Math.max(...all.map((segment) => segment.durationMs));
  const seconds = Math.max(durationMs, 1) / 1000;
  const byOperation = addedOperations(all);
  const operations = [...byOperation]
    .map(([op, counts]) => summaryOf(op, counts))
    .toSorted((one, other) => one.op.localeCompare(other.op));
  const judged = all.reduce((sum, segment) => sum + segment.judged, 0);
  const together = summaryOf('all', [...byOperation.values()].reduce(added, nothing));
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

function added(one: OperationCounts, other: OperationCounts): OperationCounts {
  return {
    accepted: addedBuckets(one.accepted, other.accepted),
    errors: addedBuckets(one.errors, other.errors),
    outcomes: addedBuckets(one.outcomes, other.outcomes),
    totalMs: one.totalMs + other.totalMs,
    maxMs: Math.max(one.maxMs, other.maxMs),
  };
}

function addedOperations(segments: readonly SegmentCounts[]): ReadonlyMap<string, OperationCounts> {
  const sum = new Map<string, OperationCounts>();
  for (const { operations } of segments)
    for (const [op, counts] of Object.entries(operations)) sum.set(op, added(sum.get(op) ?? nothing, counts));
  return sum;
}

function summaryOf(op: string, { accepted, errors, outcomes, totalMs, maxMs }: OperationCounts): OperationSummary {
  const buckets = addedBuckets(accepted, errors);
  const requests = countOf(buckets);
  const at = (percent: number): number => percentileOf(buckets, percent, maxMs);
  return {
    op,
    requests,
    errors: countOf(errors),
    outcomes: Object.fromEntries(Object.entries(outcomes).toSorted(([one], [other]) => one.localeCompare(other))),
    meanMs: requests === 0 ? 0 : totalMs / requests,
    p50Ms: at(50),
    p90Ms: at(90),
    p95Ms: at(95),
    p99Ms: at(99),
    maxMs,
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
  const counts = segments.map(({ violations }) => violations).reduce(addedBuckets, {});
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
