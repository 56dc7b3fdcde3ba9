import type { Run as ReportedRun } from '../../reports/run.ts';
import { Clean, printJson, tell, writeDocument } from '../outlet.ts';
import { join } from 'node:path';
import { exportTraces, isExportWanted } from './otlp.ts';
import { startMadeFile } from './made-file.ts';
import { startOutcomesFile } from './outcomes-file.ts';
import { filesOfRun, takePlace, viewStream } from './place.ts';
import { cleanRun, writeReports, writeUnderWay } from './reports.ts';
import { writeScripts } from './scripts.ts';
import { updateKnown } from '../known/update-known.ts';
import type { CheckOptions } from '../options.ts';
import { headerOf, isViolation, type Judged, type Judging, judgeRun, reportedRules } from '../../api/judging.ts';
import type { CountedGate } from './gate.ts';
import type { RuleId } from '../../contract/rule.ts';
import { basePathOf, lacksBasePath } from '../../contract/address.ts';
import { codeOf } from '../../contract/thrown.ts';
import { leftOutAdvice } from '../../judge/probe/links.ts';
import { cassetteBytes } from '../../judge/cassette/file.ts';
import type { Outcome, RunHeader } from '../../judge/outcome.ts';
import type { Run } from '../../judge/run/run.ts';
import { Settling } from '../../judge/run/settle.ts';
import { type RunConsole, startConsole } from '../../reports/console.ts';
import { startEvents } from '../../reports/events.ts';
import { shellWord } from '../../reports/text.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { incompleteExitCode, noteViolation, settleViolation, violatedExitCode } from '../exit-codes.ts';

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
  const command = commandLineOf(options, run);
  const header = headerOf(run, { command, ...(gate && { gate }), ...(shard && { shard }) });
  takePlace(filesOfRun(options));
  const file = startOutcomesFile(options.out, Clean.of(header));
  const made = startMadeFile(options.out);
  writeUnderWay(header, reportedRules(), options);
  // a run that is refused shows nothing of one
  let view: RunConsole | undefined;
  const seen = (): RunConsole =>
    (view ??= options.json === true ? eventsOf(options, header) : consoleFor(options, run.rules));
  const judged = await judgeRun(
    { ...target, header, ...(bail && { bail }), ...(keepData && { keepData }) },
    {
      onOutcome: (outcome, when) => {
        if (isViolation(outcome, header)) noteViolation();
        file.append(Clean.of(outcome));
        if (when === 'as it came') seen().onOutcome(outcome);
      },
      failure: () => file.failure(),
      onUntraced: () =>
        tell(
          'requests name neither their trace nor their rule: the target refuses those that do; tracing: false in the profile says so',
        ),
      onBooking: (news) => made.note(news),
      onCleanUp: (objects) => seen().onCleanUp?.(objects),
      onUnusable: (sentence) => tell(`a part is not judged: ${sentence}`),
    },
  );
  const { outcomes, exitCode, refusal, traces } = judged;
  settleViolation(exitCode === violatedExitCode);
  file.finish(Clean.of(judged.footer));
  const aborted = judged.footer.aborted ?? file.failure();
  // the reports tell what the record lost
  const footer = { ...judged.footer, ...(aborted !== undefined && { aborted }) };
  if (traces !== undefined && isExportWanted())
    for (const sentence of await exportTraces(Clean.of({ header, outcomes, traces }))) tell(sentence);
  const clean = cleanRun({
    rules: reportedRules(),
    header,
    outcomes,
    footer,
    notes: [...notes, ...addressNotes(outcomes, header)],
  });
  const lost = [...writeCassette(options.record, judged, header), ...writeScripts(clean, options.out)];
  const { told, failed } = writeReports(clean, options, lost);
  // the report tells what remains
  if (file.failure() === undefined) made.finish();
  if (refusal === undefined || options.json === true) seen().finish(told.value);
  if (refusal === undefined) {
    target.onSettled?.(outcomes);
    if (options.updateKnown === true) noteKnown(options, told.value);
  } else tell(`nothing was judged: ${refusal}`);
  return endOf(exitCode, [file.failure(), ...failed]);
}

/** What explains rules that failed at addresses which the service itself has told. */
function addressNotes(outcomes: readonly Outcome[], { baseUrl }: RunHeader): readonly string[] {
  const failedAt = outcomes.flatMap(({ violation }) => violation?.exchange?.request.url ?? []);
  const count = failedAt.filter((url) => lacksBasePath(url, baseUrl)).length;
  if (count === 0) return [];
  return [`${count} of the rules failed at addresses that ${leftOutAdvice(basePathOf(baseUrl))}`];
}

/** Writes the cassette of a run where one is wanted. Returns a sentence where it could not be written. */
function writeCassette(
  file: string | undefined,
  { tape, outcomes }: Pick<Judged, 'tape' | 'outcomes'>,
  header: RunHeader,
): readonly string[] {
  if (file === undefined) return [];
  if (tape === undefined) return [`there is no cassette in ${file}: the run did not come to the end of its cases`];
  const { implementation, suiteVersion, startedAt, profileDigest, seed, runs } = header;
  const verdicts = outcomes.map(({ rule, verdict }) => ({ rule, verdict }));
  const digest = profileDigest === undefined ? {} : { profileDigest };
  const about = { implementation, suiteVersion, startedAt, ...digest, seed, runs, verdicts };
  try {
    // others stand for the secrets on the tape
    writeDocument(
      file,
      Clean.of(about).map((safe) => cassetteBytes({ about: safe, tape })),
    );
    return [];
  } catch (error) {
    return [`the cassette ${file} cannot be written (${codeOf(error)})`];
  }
}

/** A run whose record or reports are not whole is not either; what it saw stays seen. */
function endOf(exitCode: number, failures: readonly (string | undefined)[]): number {
  const sentences = failures.filter((sentence) => sentence !== undefined);
  for (const sentence of sentences) tell(sentence);
  return exitCode === 0 && sentences.length > 0 ? incompleteExitCode : exitCode;
}

function noteKnown(options: CheckOptions, { outcomes, header }: Pick<ReportedRun, 'outcomes' | 'header'>): void {
  const { profile } = options;
  if (profile !== undefined) viewStream(options).write(`${updateKnown(profile, outcomes, header)}.\n`);
}

function consoleFor(options: CheckOptions, rules: readonly RuleId[]): RunConsole {
  const stream = viewStream(options);
  return startConsole({
    stream,
    quiet: options.quiet === true,
    tty: stream.isTTY,
    total: rules.length,
    settled: settlingOf(rules),
    folder: options.out,
  });
}

function eventsOf(options: CheckOptions, header: RunHeader): RunConsole {
  return startEvents({
    tell: printJson,
    header,
    rules: reportedRules(),
    settled: settlingOf(header.selected),
    report: join(options.out, 'report.json'),
  });
}

function settlingOf(rules: readonly RuleId[]): (outcome: Outcome) => readonly Outcome[] {
  const settling = new Settling(rules, (rule) => catalogue.standsOn(rule));
  return (outcome) => settling.hear(outcome);
}

/** The command that repeats a run, with the seed and the number of runs that it had. */
function commandLineOf(options: CheckOptions, { seed, runs }: Run): string {
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
    require: classes,
    onlyChangedSince,
    sinceAny,
    start,
    wait,
    reuse,
  } = options;
  const words = [
    ...(extension === undefined
      ? ['svc-conformance check']
      : ['svc-conformance check-extension', ...flagWords('url', extension.url)]),
    ...flagWords('profile', profile),
    ...flagWords('areas', areas?.join(',')),
    ...(rules === undefined ? [] : ['--rules', ...rules.map(shellWord)]),
    ...flagWords('level', level?.join(',')),
    ...flagWords('time', time),
    ...flagWords('time-budget', timeBudget === undefined ? undefined : `${timeBudget}s`),
    ...flagWords('bail', bail),
    ...flagWords('concurrency', concurrency),
    ...flagWords('fail-on', failOn === 'should' ? failOn : undefined),
    ...flagWords('max-warnings', maxWarnings),
    ...flagWords('require', classes?.join(',')),
    ...flagWords('only-changed-since', onlyChangedSince),
    ...flagWords('since-any', sinceAny),
    ...flagWords('shard', shard && `${shard.index}/${shard.of}`),
    ...flagWords('start', start),
    ...flagWords('wait', wait === undefined || start === undefined ? undefined : `${wait}s`),
    ...flagWords('reuse', reuse),
  ];
  return [...words, '--seed', String(seed), '--runs', String(runs)].join(' ');
}

/** A flag as it is typed; nothing where it was not given. */
function flagWords(name: string, value: string | number | true | undefined): readonly string[] {
  if (value === undefined) return [];
  return value === true ? [`--${name}`] : [`--${name}`, shellWord(String(value))];
}
