import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CheckOptions, TrafficOptions } from '../options.ts';
import { UsageError } from '../usage.ts';
import { printed, reportsIn } from './place.ts';

/** Two flags of which one would do nothing, and why. */
interface Conflict<Options> {
  readonly holds: (options: Options) => boolean;
  /** Names both flags and what to do. */
  readonly sentence: string;
}

const checkConflicts: readonly Conflict<CheckOptions>[] = [
  {
    holds: (options) => options.against === undefined && hasTwins(options),
    sentence:
      'two of the files that a run leaves have one name, and the last one alone would stay: give --report, --record and --out others',
  },
  {
    holds: ({ against, quiet }) => against !== undefined && quiet === true,
    sentence: '--quiet does nothing with --against, which prints what is different and nothing else; leave it out',
  },
  {
    holds: ({ against, watchPath }) => against !== undefined && watchPath !== undefined,
    sentence: '--watch-path does nothing with --against, which compares once; leave it out',
  },
  {
    // the variable may be set for other runs
    holds: ({ against, againstToken }) =>
      against === undefined && againstToken !== undefined && againstToken !== process.env['SVC_AGAINST_TOKEN'],
    sentence: '--against-token is about the second implementation of --against: add --against, or leave it out',
  },
  {
    holds: ({ watch, updateKnown }) => watch === true && updateKnown === true,
    sentence:
      '--update-known writes into the profile that --watch looks at, so that every failure would be known in the next run; run it by itself',
  },
  {
    holds: ({ record, watch, against }) => record !== undefined && (watch === true || against !== undefined),
    sentence: '--record keeps one run against one target: leave out --watch and --against',
  },
  {
    holds: ({ start, profile, extension }) =>
      start !== undefined && profile === undefined && extension?.url === undefined,
    sentence: '--start starts the service of a profile: name it with --profile; the bundled server needs no start',
  },
  {
    holds: ({ start, against }) => start !== undefined && against !== undefined,
    sentence: '--start is about one service and --against about two; start both yourself',
  },
  {
    holds: ({ reuse, start }) => reuse === true && start === undefined,
    sentence: '--reuse is about the service of --start: add --start, or leave it out',
  },
  {
    holds: ({ wait, start, watch }) => wait !== undefined && start === undefined && watch !== true,
    sentence: '--wait is about a service that is started: add --start or --watch, or leave it out',
  },
  {
    holds: ({ shard, seed, against }) =>
      against === undefined && shard !== undefined && shard.of > 1 && seed === undefined,
    sentence: '--shard needs --seed, the same for all parts: report merge puts no others together',
  },
  {
    holds: ({ failOn, maxWarnings }) => failOn === 'should' && maxWarnings !== undefined,
    sentence:
      '--max-warnings does nothing with --fail-on should, where the first guideline counts; leave one of them out',
  },
  {
    holds: ({ sinceAny, onlyChangedSince }) => sinceAny === true && onlyChangedSince === undefined,
    sentence: '--since-any is about the report of --only-changed-since: add --only-changed-since, or leave it out',
  },
  {
    holds: ({ time, timeBudget }) => time === 'virtual' && timeBudget !== undefined,
    sentence: '--time-budget is real time and does nothing with --time virtual; leave one of them out',
  },
  {
    holds: ({ json, quiet }) => json === true && quiet === true,
    sentence: '--quiet does nothing with --json, which prints events and nothing for people; leave it out',
  },
  {
    holds: ({ json, report = [] }) => json === true && report.some(({ file }) => file === printed),
    sentence: '--json prints its events where --report with - would print; name a file',
  },
  {
    holds: ({ json, watch }) => json === true && watch === true,
    sentence: '--watch is for people and --json for tools; leave one of them out',
  },
  {
    holds: ({ json, against }) => json === true && against !== undefined,
    sentence: '--json is about a run by itself; with --against read against.json in the folder of the run',
  },
  {
    holds: ({ report = [] }) => report.filter(({ file }) => file === printed).length > 1,
    sentence: '--report prints one document on standard output; name files for the others',
  },
  {
    holds: ({ against, report = [] }) => against !== undefined && report.some(({ file }) => file === printed),
    sentence: '--report with - does nothing with --against, which prints what is different; name a file',
  },
  {
    holds: ({ profile, against, keepData }) => profile === undefined && against === undefined && keepData === true,
    sentence: '--keep-data does nothing without --profile: the bundled server ends with the run, and its data with it',
  },
];

/** Flags that do nothing beside another one. @param why what that one does */
function idleBeside(
  other: keyof TrafficOptions,
  why: string,
  names: readonly (keyof TrafficOptions)[],
): readonly Conflict<TrafficOptions>[] {
  return names.map((name) => ({
    // one worker is what there is unless more are asked for
    holds: (options) =>
      options[other] !== undefined && options[name] !== undefined && !(name === 'workers' && options.workers === 1),
    sentence: `--${flagOf(name)} does nothing with --${flagOf(other)}, which ${why}; leave it out`,
  }));
}

/** As the command line spells it. */
export function flagOf(option: string): string {
  return option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const idleTrafficFlags: readonly Conflict<TrafficOptions>[] = [
  ...idleBeside('export', 'makes no load itself', [
    'workers',
    'judge',
    'report',
    'yesLoad',
    'stopAtErrors',
    'findLimit',
    'quiet',
  ]),
  ...idleBeside('stage', 'says how much and how long', ['rate', 'users', 'duration', 'ramp']),
  ...idleBeside('findLimit', 'looks for a rate', ['users', 'stage', 'ramp']),
];

const segmentConflicts: readonly Conflict<TrafficOptions>[] = [
  {
    holds: ({ segment, seed }) => segment !== undefined && seed === undefined,
    sentence: '--segment needs --seed, the same for all segments: which journeys each makes follows from it',
  },
  {
    holds: ({ segment, startAt, findLimit }) => (segment ?? startAt) !== undefined && findLimit !== undefined,
    sentence: '--segment and --start-at do nothing with --find-limit, which makes many loads; leave them out',
  },
  {
    holds: ({ segment, startAt, export: folder }) => (segment ?? startAt) !== undefined && folder !== undefined,
    sentence: '--segment and --start-at do nothing with --export: k6 has segments of its own; leave them out',
  },
  {
    holds: ({ segment, compare }) => segment !== undefined && compare !== undefined,
    sentence: '--compare needs the whole load: merge the segments, and use simulate compare',
  },
];

const compareConflicts: readonly Conflict<TrafficOptions>[] = [
  {
    holds: ({ compare, findLimit }) => compare !== undefined && findLimit !== undefined,
    sentence: '--compare does nothing with --find-limit, which makes many loads; leave it out',
  },
  {
    holds: ({ compare, allowWorse }) => compare === undefined && allowWorse !== undefined,
    sentence: '--allow-worse needs --compare, which names the earlier run',
  },
];

/** @throws {UsageError} a flag of `check` or `check-extension` would be ignored beside another */
export function assertCheckFlags(options: CheckOptions): void {
  assertNone(checkConflicts, options);
}

/** @throws {UsageError} a flag of `simulate traffic` would be ignored beside another */
export function assertTrafficFlags(options: TrafficOptions): void {
  assertNone([...idleTrafficFlags, ...compareConflicts, ...segmentConflicts], options);
}

function assertNone<Options>(conflicts: readonly Conflict<Options>[], options: Options): void {
  const conflict = conflicts.find(({ holds }) => holds(options));
  if (conflict !== undefined) throw new UsageError(conflict.sentence);
}

/** Whether one file would be written as two things. */
function hasTwins({ out, report = [], record }: CheckOptions): boolean {
  const kinds = new Map<string, string>([[resolve(out, 'outcomes.ndjson'), 'record']]);
  const files = [...reportsIn(out), ...report, ...(record === undefined ? [] : [{ format: 'cassette', file: record }])];
  return files
    .filter(({ file }) => file !== printed && !isDevice(file))
    .some(({ format, file }) => {
      const kind = kinds.get(resolve(file)) ?? format;
      kinds.set(resolve(file), kind);
      return kind !== format;
    });
}

function isDevice(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile();
}
