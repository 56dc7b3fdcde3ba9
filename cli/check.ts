import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { Deployment } from '../api/deployment.ts';
import { assertCheckFlags } from './check/flags-together.ts';
import { type CountedGate, gateOf } from './check/gate.ts';
import { isExportWanted } from './check/otlp.ts';
import { onInterrupt } from './check/interrupt.ts';
import type { JudgingTarget } from './check/judge-target.ts';
import { emptyFormer, filesOfComparison, filesOfRun, keepFormer } from './check/place.ts';
import { assertOthers } from './make-folder.ts';
import { KnownError } from './known/edit-known.ts';
import type { CheckOptions } from './options.ts';
import { UsageError } from './usage.ts';
import type { KeySource } from './watch/keys.ts';
import { assertWatchable, type Round, watchChecks } from './watch/watch.ts';
import type { RuleId, Side } from '../contract/rule.ts';
import { sideProfile } from '../judge/host/host-needs.ts';
import type { Shard } from '../judge/outcome.ts';
import { type LoadedProfile, sidesOf } from '../judge/profile/load.ts';
import { secretsOf } from '../judge/redact/profile-secrets.ts';
import { ProfileError } from '../judge/profile/document.ts';
import type { Rule } from '../judge/rule.ts';
import { rulesOfShard, SelectionError, selectRules } from '../judge/run/selection.ts';
import { isTimeControlled, withTime } from '../judge/time/budget.ts';
import { ReportError } from '../reports/report-file.ts';
import { catalogue, catalogueUrl } from '../suites/catalogue.ts';
import { startThread } from '../judge/run/thread.ts';
import type { Started } from './start/start-service.ts';
import { complain, incompleteExitCode, usageExitCode } from './exit-codes.ts';
import { counted, shellWord } from '../reports/text.ts';
import { tell } from './outlet.ts';
import { isAddress } from './values.ts';

interface JudgedSides {
  /** Those of the selected rules that can be judged. */
  readonly rules: readonly Rule[];
  /** What is left out, and how to judge it. */
  readonly note?: string;
}

const advice: Readonly<Record<Side, string>> = {
  extension:
    'rules about extension hosts were not judged: the profile names none under extensionHost; `svc-conformance check-extension` judges one alone',
  service: 'rules about the service were not judged: `svc-conformance check` judges a service',
};

const defaultRuns = 20;

const shortestOnCassette = 4;

/**
 * Judges a deployment, or the bundled reference server and extension host when no profile is named. Prints progress and summary, writes outcomes and reports.
 * Resolves with the exit code: 0 conforms, 1 violations, 2 the options or the profile cannot be used, 3 the run is incomplete.
 */
export async function checkCommand(
  options: CheckOptions,
  open: () => Promise<Deployment> = async () => (await import('../api/deployment.ts')).openDeployment(options.profile),
  keys: KeySource = process.stdin,
): Promise<number> {
  const startedAt = performance.now();
  try {
    const gate = takeOver(options, keys);
    if (options.against !== undefined)
      return await (await import('./against/against.ts')).againstCommand(options, options.against);
    const selected = selectedBy(options);
    if (selected.length === 0)
      return complain(
        `nothing to judge: no rule${options.extension === undefined ? '' : ' about extension hosts'} is in all parts of the selection; widen --areas, --rules or --level`,
        incompleteExitCode,
      );
    using interrupt = onInterrupt();
    const { seed = randomInt(2 ** 31) } = options;
    const check = { options, selected, seed, ...(gate !== undefined && { gate }) };
    if (options.watch === true)
      return await watchChecks({
        options,
        start: (signal) => startedFor(options, signal),
        open,
        keys,
        complain: complainAbout,
        signal: interrupt.signal,
        judge: (deployment, round) => judgeOpen(check, deployment, { ...round, startedAt: performance.now() }),
      });
    await using service = await startedFor(options, interrupt.signal);
    void service;
    // it loads the rules while the target starts, and while the reports are loaded
    await using thread = startThread(catalogueUrl);
    await using deployment = await open();
    return await judgeOpen(check, deployment, { first: [], signal: interrupt.signal, startedAt, thread });
  } catch (error) {
    return complainAbout(error);
  }
}

/** The service that the options start; undefined where they start none. @throws {UsageError | ProfileError} */
async function startedFor(options: CheckOptions, signal: AbortSignal): Promise<Started | undefined> {
  if (options.start === undefined) return undefined;
  return (await import('./start/start-service.ts')).startForRun({ ...options, start: options.start }, signal);
}

/**
 * Reads what the run is held against, which may lie in its place, keeps what an earlier run has left there and empties it, even where the flags are
 * refused; nothing new is made before the run begins. @throws {UsageError | ReportError}
 */
function takeOver(options: CheckOptions, keys: KeySource): CountedGate | undefined {
  const isComparison = options.against !== undefined;
  const files = isComparison ? filesOfComparison(options) : filesOfRun(options);
  const read = attempt(() => (isComparison ? undefined : gateOf(options)));
  assertOthers(files, [options.profile, options.against]);
  if (!isComparison) tellLeft(keepFormer(options.out), options.out);
  emptyFormer(files);
  assertCheckFlags(options);
  if (!isComparison) {
    assertEditable(options);
    assertWatchable(options, keys);
  }
  return read();
}

/** What runs have left that were killed is asked by every validation of its SoftType, and called for every event. */
function tellLeft(count: number, out: string): void {
  if (count > 0)
    tell(
      `${counted(count, 'object')} of runs that did not come to their end may be on their deployment, and endpoints among them may still be called: svc-conformance clean ${shellWord(join(out, 'former/report.json'))} deletes them, with the --profile of these runs. Where that deployment is no more, delete the made.ndjson beside it`,
    );
}

/** Does it now; what came of it, or what was thrown, comes when it is asked for. */
function attempt<T>(work: () => T): () => T {
  try {
    const result = work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** What every run of one command line has in common. */
interface Check {
  readonly options: CheckOptions;
  readonly selected: readonly Rule[];
  readonly seed: number;
  readonly gate?: CountedGate;
}

type OneRun = Pick<Round, 'first' | 'only'> & Pick<JudgingTarget, 'startedAt' | 'signal' | 'onSettled' | 'thread'>;

async function judgeOpen(
  { options, selected, seed, gate }: Check,
  deployment: Deployment,
  { first, only, ...round }: OneRun,
): Promise<number> {
  const { rules: whole, note } = judgedSides(selected, deployment.loaded);
  if (whole.length === 0) return complain(`nothing to judge: ${note ?? ''}`, incompleteExitCode);
  const own = options.shard === undefined ? whole : shardOf(whole, options.shard);
  const rules = ordered(only === undefined ? own : own.filter(({ id }) => only.includes(id)), first);
  const loaded = withTime(deployment.loaded, options);
  if (
    options.time === 'virtual' &&
    !sidesOf(loaded).every((side) => isTimeControlled(sideProfile(loaded.profile, side)))
  )
    return complain(
      '--time virtual needs a target whose clock the suite can move: add time: { mode: controlled, control: … } to the profile, under extensionHost for an extension host',
      usageExitCode,
    );
  if (options.record !== undefined) assertKeepable(loaded);
  const { judgeTarget } = await import('./check/judge-target.ts');
  return judgeTarget({
    ...round,
    options,
    run: {
      loaded,
      rules: rules.map(({ id }) => id),
      asGiven: first.length > 0,
      elsewhere: whole.filter((rule) => !own.includes(rule)).map(({ id }) => id),
      seed,
      runs: options.runs ?? defaultRuns,
      collect: !deployment.temporary,
      ...(options.record !== undefined && { record: true }),
      repeat: true,
      tracing: { sends: true, keeps: isExportWanted() },
      mark: deployment.temporary ? '' : markOf(round.startedAt),
      ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
    },
    notes: note === undefined ? [] : [note],
    ...(gate !== undefined && { gate }),
  });
}

/** What stands for a secret on a cassette is as long as it: letters that few would be found everywhere, or nowhere. @throws {UsageError} */
function assertKeepable(loaded: LoadedProfile): void {
  const short = secretsOf(loaded).find(({ value }) => value !== '' && value.length < shortestOnCassette);
  if (short !== undefined)
    throw new UsageError(
      `--record: ${short.path} of the profile has fewer than ${shortestOnCassette} characters, and a cassette could not be kept free of it; give it a longer one`,
    );
}

/** A target that lives on may hold what an earlier run with the same seed has left, and nothing new may have its name. */
function markOf(startedAt: number): string {
  return ` ${performance.timeOrigin + startedAt}`;
}

function selectedBy(options: CheckOptions): readonly Rule[] {
  const all = selectRules({ ...options, ...(options.level !== undefined && { levels: options.level }) }, catalogue.all);
  return options.extension === undefined ? all : all.filter(({ side }) => side === 'extension');
}

/** Those of `first` before the others. */
function ordered(rules: readonly Rule[], first: readonly RuleId[]): readonly Rule[] {
  return first.length === 0
    ? rules
    : rules.toSorted((one, other) => Number(first.includes(other.id)) - Number(first.includes(one.id)));
}

/** @throws {UsageError} --update-known without a file to write to */
function assertEditable({ updateKnown, profile }: CheckOptions): void {
  if (updateKnown !== true || (profile !== undefined && !isAddress(profile))) return;
  throw new UsageError(
    `--update-known writes into the profile, and needs one in a file; found ${profile ?? 'none'}. Save it, and name it with --profile`,
  );
}

/** @throws {UsageError} fewer rules than parts: a part without rules could not be told from one that went wrong */
function shardOf(whole: readonly Rule[], shard: Shard): readonly Rule[] {
  if (shard.of <= whole.length) return rulesOfShard(whole, shard);
  throw new UsageError(
    `--shard ${shard.index}/${shard.of} of ${whole.length} selected rules leaves parts empty; take ${whole.length} parts or fewer`,
  );
}

function complainAbout(error: unknown): number {
  if (isUsage(error)) return complain(error.message, usageExitCode);
  throw error;
}

function isUsage(error: unknown): error is Error {
  return [ProfileError, SelectionError, ReportError, KnownError, UsageError].some((kind) => error instanceof kind);
}

/** Rules about a side that is not there are no part of a run: a service without an extension host is complete, and the other way round. */
function judgedSides(selected: readonly Rule[], loaded: LoadedProfile): JudgedSides {
  const sides = sidesOf(loaded);
  const rules = selected.filter(({ side }) => sides.includes(side));
  const [left] = selected.filter(({ side }) => !sides.includes(side));
  return left === undefined ? { rules } : { rules, note: `${selected.length - rules.length} ${advice[left.side]}` };
}
