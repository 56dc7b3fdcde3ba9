import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { startOutcomesFile } from './outcomes-file.ts';
import { writeReports } from './reports.ts';
import { updateKnown } from '../known/update-known.ts';
import type { CheckOptions } from '../options.ts';
import { headerOf, type Judging, judgeRun, reportedRules } from '../../api/judging.ts';
import type { CountedGate } from './gate.ts';
import { cassetteBytes } from '../../judge/cassette/file.ts';
import type { Outcome, RunHeader } from '../../judge/outcome.ts';
import { type RunConsole, startConsole } from '../../reports/console.ts';

/** One run of `check`, and what the command line says about it. */
export interface JudgingTarget extends Pick<Judging, 'run' | 'startedAt' | 'signal' | 'thread'> {
  readonly options: CheckOptions;
  /** What counts for the exit code, where the command line says so. */
  readonly gate?: CountedGate;
  /** What a reader of the reports has to know beside them. */
  readonly notes?: readonly string[];
  /** Hears every outcome once all are known. */
  readonly onSettled?: (outcomes: readonly Outcome[]) => void;
}

/** Judges the rules of a run and leaves outcomes and reports behind. Resolves with the exit code. */
export async function judgeTarget(target: JudgingTarget): Promise<number> {
  const { options, run, gate, notes = [] } = target;
  const { bail, keepData, shard } = options;
  const command = commandLineOf(options, run.seed, run.runs);
  const header = headerOf(run, { command, ...(gate && { gate }), ...(shard && { shard }) });
  const file = startOutcomesFile(options.out, header);
  // a run that is refused shows nothing of one
  let view: RunConsole | undefined;
  const seen = (): RunConsole => (view ??= consoleFor(options, run.rules.length));
  const judged = await judgeRun(
    { ...target, header, ...(bail && { bail }), ...(keepData && { keepData }) },
    {
      onOutcome: (outcome, when) => {
        file.append(outcome);
        if (when === 'as it came') seen().onOutcome(outcome);
      },
      onUnusable: (sentence) => process.stderr.write(`svc-conformance: a part is not judged: ${sentence}\n`),
    },
  );
  const { outcomes, footer, exitCode, refusal, tape } = judged;
  if (options.record !== undefined && tape !== undefined) writeCassette(options.record, tape, header, outcomes);
  file.finish(footer);
  const told = { rules: reportedRules(), header, outcomes, footer, notes };
  writeReports(told, options);
  if (refusal !== undefined) {
    process.stderr.write(`svc-conformance: nothing was judged: ${refusal}\n`);
    return exitCode;
  }
  seen().finish(told);
  target.onSettled?.(outcomes);
  if (options.updateKnown === true) noteKnown(options, outcomes, header);
  return exitCode;
}

function writeCassette(file: string, tape: Uint8Array, header: RunHeader, outcomes: readonly Outcome[]): void {
  const { implementation, suiteVersion, startedAt, profileDigest, seed, runs } = header;
  const verdicts = outcomes.map(({ rule, verdict }) => ({ rule, verdict }));
  const digest = profileDigest === undefined ? {} : { profileDigest };
  const about = { implementation, suiteVersion, startedAt, ...digest, seed, runs, verdicts };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, cassetteBytes({ about, tape }));
}

function noteKnown({ profile }: CheckOptions, outcomes: readonly Outcome[], header: RunHeader): void {
  if (profile !== undefined) process.stdout.write(`${updateKnown(profile, outcomes, header)}.\n`);
}

function consoleFor(options: CheckOptions, total: number): RunConsole {
  return startConsole({ stream: process.stdout, quiet: options.quiet === true, tty: process.stdout.isTTY, total });
}

/** The command that repeats a run, with the seed and the number of runs that it had. */
function commandLineOf(options: CheckOptions, seed: number, runs: number): string {
  const {
    profile,
    areas,
    rules,
    level,
    time,
    timeBudget,
    bail,
    concurrency,
    extension,
    shard,
    failOn,
    maxWarnings,
    onlyChangedSince,
    sinceAny,
  } = options;
  const words = [
    ...(extension === undefined
      ? ['svc-conformance check']
      : ['svc-conformance check-extension', ...(extension.url === undefined ? [] : ['--url', quoted(extension.url)])]),
    ...(profile === undefined ? [] : ['--profile', quoted(profile)]),
    ...(areas === undefined ? [] : ['--areas', areas.join(',')]),
    ...(rules === undefined ? [] : ['--rules', ...rules.map(quoted)]),
    ...(level === undefined ? [] : ['--level', level.join(',')]),
    ...(time === undefined ? [] : ['--time', time]),
    ...(timeBudget === undefined ? [] : ['--time-budget', `${timeBudget}s`]),
    ...(bail === true ? ['--bail'] : []),
    ...(concurrency === undefined ? [] : ['--concurrency', String(concurrency)]),
    ...(failOn === 'should' ? ['--fail-on', failOn] : []),
    ...(maxWarnings === undefined ? [] : ['--max-warnings', String(maxWarnings)]),
    ...(onlyChangedSince === undefined ? [] : ['--only-changed-since', quoted(onlyChangedSince)]),
    ...(sinceAny === true ? ['--since-any'] : []),
    ...(shard === undefined ? [] : ['--shard', `${shard.index}/${shard.of}`]),
  ];
  return [...words, '--seed', String(seed), '--runs', String(runs)].join(' ');
}

/** As one word of a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
