import { extname } from 'node:path';
import type { Reporter } from 'vitest/node';
import type { Profile } from '../../contract/profile.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Booking } from '../bookings.ts';
import type { Outcome } from '../outcome.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { brokenOutcome } from './deadline.ts';
import type { Handover } from './handover.ts';
import type { JudgeSetup } from './judge.ts';
import { strayErrorOf, threadFor, threadGraceMs } from './thread.ts';
import { aborted, within } from './within.ts';
import { isTimeControlled, timeBudgetSeconds } from '../time/budget.ts';

/** Why a run ends before its last case: a sentence without a full stop. The first reason stays. */
interface Stop {
  readonly signal: AbortSignal;
  readonly reason: string | undefined;
  now(reason: string): void;
}

/** What the main thread hears from the thread of the cases. */
interface Journal {
  readonly reporter: Reporter;
  readonly booked: readonly Booking[];
  /** Rules whose case has not told an outcome. */
  missing(): readonly RuleId[];
  /** Resolves when every question about going on is answered. */
  settled(): Promise<void>;
}

export interface RunCases extends Handover {
  /** Longest time of all cases together. */
  readonly totalSeconds: number;
  readonly onOutcome: (outcome: Outcome) => void;
  /** Asked after each outcome: a sentence ends the run with that reason. */
  readonly stopAfter?: (outcome: Outcome) => string | undefined | Promise<string | undefined>;
  /** Ends the run early, as Ctrl-C does. */
  readonly signal?: AbortSignal;
}

export interface EndOfCases {
  readonly booked: readonly Booking[];
  /** Why it ended before the last case. */
  readonly aborted?: string;
  /** The thread of the cases does not end by itself: the process has to be left with process.exit. */
  readonly stuck: boolean;
}

export interface RunSuites {
  /** URL of the module that exports the catalogue of rules. */
  readonly catalogue: string;
  readonly loaded: LoadedProfile;
  readonly rules: readonly RuleId[];
  /** Whether they are to begin in that order. */
  readonly asGiven?: boolean;
  readonly seed: number;
  /** Generated runs of each property. */
  readonly runs: number;
  /** Whether it matters afterwards what the cases created. */
  readonly collect: boolean;
  /** Part of every name that is new in this run, on a target that has seen others. */
  readonly mark: string;
  /** Cases under way at once. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly onOutcome: (outcome: Outcome) => void;
  /** Whether the run ends after this outcome. */
  readonly stopsAt: (outcome: Outcome) => boolean;
  /** Undefined while somebody answers at the base URL, else a sentence about it. */
  readonly isAlive: () => Promise<string | undefined>;
}

const defaultConcurrency = 16;
const defaultCaseSeconds = 120;
const defaultTotalSeconds = 900;
/** A case that does not even end at its deadline is given up so much later, in ms. */
const graceMs = 1000;
/** So many broken outcomes in a row raise the question whether the target is still there. */
const suspiciousInARow = 5;

/** Runs the case of each rule on the target. Every outcome is told as it comes, before settling. */
export async function runSuites(run: RunSuites): Promise<EndOfCases> {
  const { profile } = run.loaded;
  const { caseSeconds = defaultCaseSeconds } = profile.limits ?? {};
  const caseLimitMs = caseSeconds * 1000;
  const setup: JudgeSetup = {
    catalogue: run.catalogue,
    loaded: run.loaded,
    seed: run.seed,
    runs: run.runs,
    caseLimitMs,
    collect: run.collect,
    mark: run.mark,
  };
  return runCases({
    rules: run.rules,
    asGiven: run.asGiven ?? false,
    setup,
    judgeModule: new URL(`judge${extname(import.meta.url)}`, import.meta.url).href,
    caseLimitMs: caseLimitMs + graceMs,
    totalSeconds: profile.limits?.totalSeconds ?? usualTotalSeconds(profile),
    concurrency: run.concurrency ?? defaultConcurrency,
    onOutcome: run.onOutcome,
    stopAfter: stopper(run),
    ...(run.signal !== undefined && { signal: run.signal }),
  });
}

/** Schedules in real time may take their whole budget, whatever else is to do. */
function usualTotalSeconds(profile: Profile): number {
  return defaultTotalSeconds + (isTimeControlled(profile) ? 0 : timeBudgetSeconds(profile));
}

function stopper({ stopsAt, isAlive }: RunSuites): (outcome: Outcome) => Promise<string | undefined> {
  let inARow = 0;
  return async (outcome) => {
    if (stopsAt(outcome)) return 'the first violation ended it, as --bail asked for';
    inARow = outcome.verdict === 'broken' ? inARow + 1 : 0;
    if (inARow < suspiciousInARow) return undefined;
    inARow = 0;
    const sentence = await isAlive();
    return sentence === undefined ? undefined : `the target stopped answering: ${sentence}`;
  };
}

/**
 * Judges each rule in a thread of its own, `concurrency` at a time, and tells every outcome as it comes.
 * A rule whose case ends without an outcome is `broken`, unless the run was stopped: then it has none.
 */
export async function runCases(run: RunCases): Promise<EndOfCases> {
  if (run.rules.length === 0) return { booked: [], stuck: false };
  const stop = newStop();
  const journal = newJournal(run, stop);
  const unwatch = watch(stop, run.totalSeconds, run.signal);
  const { failed, stuck } = await inThread(run, journal.reporter, stop).finally(unwatch);
  await journal.settled();
  const reason = stop.reason ?? failed;
  if (reason === undefined)
    journal.missing().forEach((rule) => run.onOutcome(brokenOutcome(rule, 'the case ended without an outcome')));
  return { booked: journal.booked, stuck, ...(reason !== undefined && { aborted: reason }) };
}

async function inThread(
  { concurrency, rules, asGiven = false, caseLimitMs, judgeModule, setup }: RunCases,
  reporter: Parameters<typeof threadFor>[1],
  stop: Stop,
): Promise<{ failed: string | undefined; stuck: boolean }> {
  await using thread = await threadFor({ rules, asGiven, caseLimitMs, concurrency, judgeModule, setup }, reporter);
  const { vitest } = thread;
  stop.signal.addEventListener('abort', () => void vitest.cancelCurrentRun('keyboard-input'), { once: true });
  const running = stop.signal.aborted ? Promise.resolve(undefined) : vitest.start();
  await Promise.race([running, aborted(stop.signal)]);
  const result = await within(threadGraceMs, running);
  const closed = await within(
    threadGraceMs,
    vitest.close().then(() => true),
  );
  return { failed: strayErrorOf(result), stuck: closed !== true };
}

function newJournal(run: RunCases, stop: Stop): Journal {
  const booked: Booking[] = [];
  const ended = new Set<RuleId>();
  let asking: Promise<void> = Promise.resolve();
  const onOutcome = (outcome: Outcome): void => {
    ended.add(outcome.rule);
    run.onOutcome(outcome);
    asking = asking.then(() => ask(run, stop, outcome));
  };
  return {
    booked,
    missing: () => run.rules.filter((rule) => !ended.has(rule)),
    settled: () => asking,
    reporter: {
      onTestCaseResult: (test) => {
        const { judgement } = test.meta();
        booked.push(...(judgement?.booked ?? []));
        if (judgement?.outcome !== undefined) onOutcome(judgement.outcome);
      },
    },
  };
}

async function ask(run: RunCases, stop: Stop, outcome: Outcome): Promise<void> {
  if (stop.signal.aborted) return;
  const reason = await run.stopAfter?.(outcome);
  if (reason !== undefined) stop.now(reason);
}

function newStop(): Stop {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    get reason(): string | undefined {
      return controller.signal.aborted ? String(controller.signal.reason) : undefined;
    },
    now: (reason) => controller.abort(reason),
  };
}

/** Stops on the total deadline, on the caller's signal, and when the thread of the cases dies. Returns what ends the watch. */
function watch(stop: Stop, totalSeconds: number, interrupted: AbortSignal | undefined): () => void {
  const timer = setTimeout(
    () => stop.now(`the run took longer than ${totalSeconds} s (limits.totalSeconds)`),
    totalSeconds * 1000,
  );
  const interrupt = (): void =>
    stop.now(`interrupted${interrupted?.reason instanceof Error ? '' : `: ${String(interrupted?.reason)}`}`);
  // vitest reports the death of a worker thread as an error that nobody listens for
  const crash = (error: unknown): void =>
    stop.now(`the thread of the cases died: ${error instanceof Error ? error.message : String(error)}`);
  process.on('uncaughtException', crash);
  interrupted?.addEventListener('abort', interrupt, { once: true });
  if (interrupted?.aborted === true) interrupt();
  return () => {
    clearTimeout(timer);
    process.off('uncaughtException', crash);
    interrupted?.removeEventListener('abort', interrupt);
  };
}
