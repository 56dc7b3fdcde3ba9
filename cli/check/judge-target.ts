import { createHash } from 'node:crypto';
import { declaredOn } from './declarations.ts';
import type { CountedGate } from './gate.ts';
import { type OutcomesFile, startOutcomesFile } from './outcomes-file.ts';
import { filesOfRun, takePlace } from './place.ts';
import { writeReports, writeUnderWay } from './reports.ts';
import { noteViolation } from './seen.ts';
import { updateKnown } from '../known/update-known.ts';
import type { CheckOptions } from '../options.ts';
import { type ListedRule, listRules } from '../rule-list.ts';
import { packageVersion } from '../version.ts';
import type { Booking } from '../../judge/bookings.ts';
import { variablesOf } from '../../judge/curl/variables.ts';
import { isBreach, type Outcome, type RunFooter, type RunHeader } from '../../judge/outcome.ts';
import { type LoadedProfile, withPlaces } from '../../judge/profile/load.ts';
import { registryOf } from '../../judge/redact/profile-secrets.ts';
import { type Base, openBase } from '../../judge/run/base.ts';
import type { Run, Unusable } from '../../judge/run/run.ts';
import { type EndOfCases, runCases, stopWhen } from '../../judge/run/run-cases.ts';
import { settle } from '../../judge/run/settle.ts';
import { assess } from '../../reports/assessment.ts';
import { type RunConsole, startConsole } from '../../reports/console.ts';
import { entriesOf } from '../../reports/entries.ts';
import { exitOf } from '../../reports/exit.ts';
import { startThread, type Thread } from '../../judge/run/thread.ts';
import type { Run as Reported } from '../../reports/run.ts';
import { catalogue, catalogueUrl } from '../../suites/catalogue.ts';

const origin = /\bhttps?:\/\/[^\s/"]+/gi;

const digits = 16;
const incompleteExitCode = 3;

/** One run of `check` and what it is held against. */
export interface Judging {
  readonly options: CheckOptions;
  readonly run: Run;
  /** Monotonic, in ms. */
  readonly startedAt: number;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** What counts for the exit code, where the command line says so. */
  readonly gate?: CountedGate;
  /** What a reader of the reports has to know beside them. */
  readonly notes?: readonly string[];
  /** Hears every outcome once all are known. */
  readonly onSettled?: (outcomes: readonly Outcome[]) => void;
  /** A thread that has begun to load the rules; started unless given. */
  readonly thread?: Thread;
}

interface Ended extends EndOfCases {
  readonly outcomes: readonly Outcome[];
}

/** Longest clean-up, in ms. */
const cleanUpLimitMs = 60_000;

/** Judges the rules of a run and leaves outcomes and reports behind. Resolves with the exit code. */
export async function judgeTarget(judging: Judging): Promise<number> {
  const { options, run, signal } = judging;
  await using thread = judging.thread ?? startThread(catalogueUrl);
  const header = headerOf(judging);
  takePlace(filesOfRun(options));
  const file = startOutcomesFile(options.out, header);
  writeUnderWay(header, allRules(), options);
  const base = openBase(run, signal, new Set(run.rules.flatMap((rule) => catalogue.get(rule).needs)));
  try {
    const refusal = await base.preflight();
    const stopped = signal.aborted || refusal === undefined ? interruption(signal) : withPlaces(refusal, run.loaded);
    if (stopped !== undefined) return await reportRefusal(judging, base, header, file, stopped);
    const unusable = placed(await base.unusable(), run.loaded);
    for (const sentence of new Set(Object.values(unusable)))
      process.stderr.write(`svc-conformance: a part is not judged: ${sentence}\n`);
    return await judgeAndReport({ ...judging, thread, run: { ...run, unusable } }, base, header, file);
  } finally {
    await base.close();
  }
}

function placed(unusable: Unusable, loaded: LoadedProfile): Unusable {
  return Object.fromEntries(Object.entries(unusable).map(([need, sentence]) => [need, withPlaces(sentence, loaded)]));
}

function interruption({ aborted }: AbortSignal): string | undefined {
  return aborted ? 'interrupted' : undefined;
}

/** The profile and the target do not fit together: nothing is judged, the record says why. */
async function reportRefusal(
  judging: Judging,
  base: Base,
  header: RunHeader,
  file: OutcomesFile,
  sentence: string,
): Promise<number> {
  const footer = await footerOf(judging, base, { outcomes: [], booked: [], aborted: sentence });
  file.finish(footer);
  const run = { rules: allRules(), header, outcomes: [], footer, notes: judging.notes ?? [] };
  const left = writeReports(run, judging.options);
  process.stderr.write(`svc-conformance: nothing was judged: ${sentence}\n`);
  return endOf(run, [file.failure(), ...left]);
}

async function judgeAndReport(
  judging: Judging & { readonly thread: Thread },
  base: Base,
  header: RunHeader,
  file: OutcomesFile,
): Promise<number> {
  const view = consoleFor(judging.options, judging.run.rules.length);
  const ended = await judgeCases(judging, base, header, {
    failure: () => file.failure(),
    onOutcome: (outcome) => {
      file.append(outcome);
      if (isViolation(outcome, header)) noteViolation();
      view.onOutcome(outcome);
    },
  });
  const outcomes = settle(ended.outcomes, (rule) => catalogue.standsOn(rule));
  outcomes.filter((outcome, index) => outcome !== ended.outcomes[index]).forEach((outcome) => file.append(outcome));
  const footer = await footerOf(judging, base, ended);
  file.finish(footer);
  const run = { rules: allRules(), header, outcomes, footer, notes: judging.notes ?? [] };
  const left = writeReports(run, judging.options);
  view.finish(run);
  judging.onSettled?.(outcomes);
  if (judging.options.updateKnown === true) noteKnown(judging, outcomes, header);
  return endOf(run, [file.failure(), ...left]);
}

/** A run whose record or reports are not whole is not either; what it saw stays seen. */
function endOf(run: Reported, failures: readonly (string | undefined)[]): number {
  const sentences = failures.filter((sentence) => sentence !== undefined);
  for (const sentence of sentences) process.stderr.write(`svc-conformance: ${sentence}\n`);
  const { code } = exitOf(run);
  return code === 0 && sentences.length > 0 ? incompleteExitCode : code;
}

function noteKnown({ options }: Judging, outcomes: readonly Outcome[], header: RunHeader): void {
  if (options.profile !== undefined) process.stdout.write(`${updateKnown(options.profile, outcomes, header)}.\n`);
}

async function judgeCases(
  { options, run, signal, thread }: Judging & { readonly thread: Thread },
  base: Base,
  header: RunHeader,
  { onOutcome, failure }: { readonly onOutcome: (outcome: Outcome) => void } & Pick<OutcomesFile, 'failure'>,
): Promise<Ended> {
  const outcomes: Outcome[] = [];
  const endsAt = (outcome: Outcome): boolean => options.bail === true && isViolation(outcome, header);
  const stopped = stopWhen(endsAt, () => base.isAlive());
  const attendance = {
    signal,
    stopAfter: async (outcome: Outcome) => failure() ?? (await stopped(outcome)),
    onOutcome: (outcome: Outcome) => {
      outcomes.push(outcome);
      onOutcome(outcome);
    },
  };
  return { outcomes, ...(await runCases({ ...run, notSupported: header.notSupported }, attendance, thread)) };
}

/** Whether the rule is broken by itself and nothing excuses it. */
function isViolation(outcome: Outcome, header: RunHeader): boolean {
  if (!isBreach(outcome)) return false;
  const run = { rules: allRules().filter(({ id }) => id === outcome.rule), header, outcomes: [outcome] };
  return entriesOf(run, assess(run)).some(
    ({ kind, standing }) => kind === 'failure' && (standing?.state === 'fail' || standing?.state === 'warn'),
  );
}

function consoleFor(options: CheckOptions, total: number): RunConsole {
  return startConsole({ stream: process.stdout, quiet: options.quiet === true, tty: process.stdout.isTTY, total });
}

async function footerOf(judging: Judging, base: Base, ended: Ended): Promise<RunFooter> {
  const remains = await remainsOf(judging, base, [...base.booked(), ...ended.booked]);
  const exchanges = ended.outcomes.reduce((sum, outcome) => sum + outcome.exchanges, 0);
  return {
    kind: 'end',
    durationMs: Math.round(performance.now() - judging.startedAt),
    remains,
    ...(ended.aborted !== undefined && { aborted: ended.aborted }),
    requests: base.requests() + exchanges,
  };
}

async function remainsOf(
  { options, run }: Judging,
  base: Base,
  booked: readonly Booking[],
): Promise<RunFooter['remains']> {
  if (run.collect !== true) return [];
  if (options.keepData === true)
    return booked.map(({ uri }) => ({ uri: base.redact(uri), reason: 'kept, as --keep-data asked for' }));
  return base.cleanUp(booked, AbortSignal.timeout(cleanUpLimitMs));
}

/** As the reports are told of them. */
function allRules(): readonly ListedRule[] {
  return listRules(catalogue.all);
}

/** The first line of a run's record. */
function headerOf({ options, run: { loaded, rules, seed, runs }, gate }: Judging): RunHeader {
  const { implementation, baseUrl } = loaded.profile;
  const startedAt = new Date().toISOString();
  const own = { implementation, suiteVersion: packageVersion(), profileDigest: profileDigest(loaded) };
  return {
    schemaVersion: 1,
    kind: 'run',
    ...own,
    baseUrl,
    seed,
    runs,
    startedAt,
    command: commandLineOf(options, seed, runs),
    selected: rules,
    ...declaredOn(startedAt.slice(0, 'YYYY-MM-DD'.length), loaded.profile),
    ...(gate !== undefined && { gate: gate(own) }),
    ...(options.shard !== undefined && { shard: options.shard }),
    variables: variablesOf(loaded),
  };
}

/** The same text for two profiles that differ in nothing but what they excuse, secrets, hosts, ports and folders of the machine, as those of two shards do. */
function profileDigest(loaded: LoadedProfile): string {
  const secrets = registryOf(loaded);
  const { bulk, notSupported: _declared, knownFailures: _known, ...rest } = loaded.profile;
  const content = { ...rest, ...(bulk !== undefined && { bulk: { ...bulk, hostDirectory: '' } }) };
  const plain = JSON.stringify(sorted(secrets.redactAll(content, (text) => text))).replaceAll(origin, 'http://host');
  return createHash('sha256').update(plain).digest('hex').slice(0, digits);
}

/** With the members of every object in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
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
