import type { Booking } from '../bookings.ts';
import type { Outcome } from '../outcome.ts';
import { brokenOutcome } from './deadline.ts';
import type { Handover } from './handover.ts';
import { newJournal } from './journal.ts';
import { newStop, watch, type Stop } from './stop.ts';
import { strayErrorOf, threadFor, threadGraceMs } from './thread.ts';
import { aborted, within } from './within.ts';

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
