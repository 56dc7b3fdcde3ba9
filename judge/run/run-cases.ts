import type { RuleId } from '../../contract/rule.ts';
import type { Booking, BookingNews } from '../case/bookings.ts';
import type { Conduct } from '../case/conduct.ts';
import { type Reached, reachedTogether } from '../coverage/reached.ts';
import { brokenOutcome, isStumble, type Outcome } from '../outcome.ts';
import { makesFewCalls } from '../extension/calls-at-once.ts';
import { isTimeControlled, timeBudgetSeconds } from '../time/budget.ts';
import { caseLimitMsOf, type Judgement, type RuleTrace, type Run } from './run.ts';
import type { Thread } from './thread.ts';
import { aborted, within } from '../time/real-time.ts';

/** What the main thread does while the cases of a run are judged. */
export interface Attendance {
  /** Told of every outcome as it comes, before settling. */
  readonly onOutcome: (outcome: Outcome) => void;
  /** Told of what the cases make, at once, in a run that collects it. */
  readonly onBooking?: (news: BookingNews) => void;
  /** Told what each case did, in a run that asks for it. */
  readonly onConduct?: (rule: RuleId, conduct: Conduct, reached?: Reached) => void;
  /** Told what each case sent, in a run that keeps it. */
  readonly onTrace?: (trace: RuleTrace) => void;
  /** Asked after each outcome: a sentence ends the run with that reason. */
  readonly stopAfter?: (outcome: Outcome) => string | undefined | Promise<string | undefined>;
  /** Ends the run early, as Ctrl-C does. */
  readonly signal?: AbortSignal;
}

export interface EndOfCases {
  readonly booked: readonly Booking[];
  /** Which parts of the documents their requests reached. */
  readonly reached?: Reached;
  /** What the cases saw of the world, in a run that is recorded and came to the end of its cases; it is put together while whoever asked goes on. */
  readonly tape: Promise<Uint8Array | undefined>;
  /** Why it ended before the last case, or why it proves nothing. */
  readonly aborted?: string;
}

/** Why a run ends before its last case: a sentence without a full stop. The first reason stays. */
interface Stop {
  readonly signal: AbortSignal;
  readonly reason: string | undefined;
  now(reason: string): void;
}

/** How long the cases may take to end when they are told to, in ms. */
const stopGraceMs = 1500;
/** So much longer than the longest case the thread may not be heard of, in ms. */
const silenceGraceMs = 5000;
const defaultTotalSeconds = 900;
/** What schedules that leave calls unanswered take one after another. */
const mostInTurnSeconds = 900;
/** Requests of a whole run, which come one after another where the target is slow; and what they get at most. */
const mostRequests = 40_000;
const mostRequestSeconds = 2 * 3600;
/** So many cases in a row that could not judge raise the question whether the target is still there. */
const suspiciousInARow = 5;

/**
 * Judges each rule of a run in that thread, some at a time, and disposes of it.
 * A rule whose case ends without an outcome is `broken`, unless the run was stopped: then it has none.
 */
export async function runCases(run: Run, attendance: Attendance, thread: Thread): Promise<EndOfCases> {
  if (run.rules.length === 0) return { booked: [], tape: Promise.resolve(undefined) };
  const stop = newStop();
  const journal = new Journal(run, attendance, stop);
  const judged = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let heardAt = performance.now();
  let stray: string | undefined;
  let tape: Uint8Array | undefined;
  thread.listen((report) => {
    heardAt = performance.now();
    if (report.kind === 'judgement') journal.note(report.judgement);
    if (report.kind === 'booking') attendance.onBooking?.(report.news);
    if (report.kind === 'stray') stray ??= `the suite stumbled outside of its cases: ${report.message}`;
    if (report.kind === 'recorded') ({ tape } = report);
    if (report.kind === 'judged' || report.kind === 'end') judged.resolve();
    if (report.kind === 'end') ended.resolve();
  });
  void thread.died.then((reason) => stop.now(`the thread of the cases died: ${reason}`));
  const unwatch = watchRun(run, stop, attendance.signal, () => heardAt);
  stop.signal.addEventListener('abort', () => thread.ask({ kind: 'stop' }), { once: true });
  if (!stop.signal.aborted) thread.ask({ kind: 'run', run });
  const leave = async (): Promise<Uint8Array | undefined> => {
    const left = Promise.race([ended.promise, thread.died]);
    await (stop.signal.aborted ? within(stopGraceMs, left) : left);
    if (!stop.signal.aborted && stray === undefined && journal.isClean()) thread.release();
    await thread[Symbol.asyncDispose]();
    return tape;
  };
  await Promise.race([judged.promise, aborted(stop.signal)]).finally(unwatch);
  const leaving = leave();
  if (run.record !== true || stop.signal.aborted) await leaving;
  await journal.settled();
  const reason = stop.reason ?? stray;
  if (reason === undefined)
    for (const rule of journal.missing())
      attendance.onOutcome(brokenOutcome(rule, 'the case ended without an outcome'));
  return {
    booked: journal.booked,
    reached: reachedTogether(journal.reached),
    tape: leaving,
    ...(reason !== undefined && { aborted: reason }),
  };
}

/**
 * When a run had better end: on the first outcome that it is told to end at, and where nobody answers any more.
 * @param isAlive undefined while the target itself answers, else a sentence about it
 */
export function stopWhen(
  endsAt: (outcome: Outcome) => boolean,
  isAlive: () => Promise<string | undefined>,
): (outcome: Outcome) => Promise<string | undefined> {
  let inARow = 0;
  return async (outcome) => {
    if (endsAt(outcome)) return 'the first violation ended it, as --bail asked for';
    inARow = isStumble(outcome) ? inARow + 1 : 0;
    if (inARow < suspiciousInARow) return undefined;
    inARow = 0;
    const sentence = await isAlive();
    return sentence === undefined ? undefined : `the target stopped answering: ${sentence}`;
  };
}

/** What was heard of the cases. */
class Journal {
  readonly booked: Booking[] = [];
  readonly reached: Reached[] = [];
  readonly #run: Run;
  readonly #attendance: Attendance;
  readonly #stop: Stop;
  readonly #ended = new Set<RuleId>();
  #stumbled = false;
  #asking: Promise<void> = Promise.resolve();

  constructor(run: Run, attendance: Attendance, stop: Stop) {
    this.#run = run;
    this.#attendance = attendance;
    this.#stop = stop;
  }

  note({ booked, outcome, conduct, reached, trace }: Judgement): void {
    this.booked.push(...booked);
    if (reached !== undefined) this.reached.push(reached);
    if (trace !== undefined) this.#attendance.onTrace?.(trace);
    if (outcome === undefined) return;
    this.#ended.add(outcome.rule);
    this.#stumbled ||= outcome.verdict === 'broken';
    if (conduct !== undefined) this.#attendance.onConduct?.(outcome.rule, conduct, reached);
    this.#attendance.onOutcome(outcome);
    this.#asking = this.#asking.then(() => this.#ask(outcome));
  }

  /** Rules whose case has not told an outcome. */
  missing(): readonly RuleId[] {
    return this.#run.rules.filter((rule) => !this.#ended.has(rule));
  }

  /** Whether every case came to its end, so that none goes on. */
  isClean(): boolean {
    return !this.#stumbled && this.missing().length === 0;
  }

  /** Resolves when every question about going on is answered. */
  settled(): Promise<void> {
    return this.#asking;
  }

  async #ask(outcome: Outcome): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const reason = await this.#attendance.stopAfter?.(outcome);
    if (reason !== undefined) this.#stop.now(reason);
  }
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

/**
 * Stops on the total deadline, on the caller's signal, and when the thread is silent for too long. Returns what ends the watch.
 * @param heardAt when the thread was last heard of, monotonic, in ms
 */
function watchRun(run: Run, stop: Stop, interrupted: AbortSignal | undefined, heardAt: () => number): () => void {
  const totalSeconds = totalSecondsOf(run);
  const longestSilenceMs = caseLimitMsOf(run) + silenceGraceMs;
  const timer = setTimeout(
    () => stop.now(`the run took longer than ${totalSeconds} s (limits.totalSeconds)`),
    totalSeconds * 1000,
  );
  const listening = setInterval(() => {
    if (performance.now() - heardAt() > longestSilenceMs)
      stop.now(
        `the cases did not let each other go on for ${longestSilenceMs / 1000} s: one of them computes without end`,
      );
  }, 1000);
  const interrupt = (): void =>
    stop.now(`interrupted${interrupted?.reason instanceof Error ? '' : `: ${String(interrupted?.reason)}`}`);
  interrupted?.addEventListener('abort', interrupt, { once: true });
  if (interrupted?.aborted === true) interrupt();
  return () => {
    clearTimeout(timer);
    clearInterval(listening);
    interrupted?.removeEventListener('abort', interrupt);
  };
}

/** Schedules in real time may take their whole budget, whatever else is to do, and requests what each takes or is held back. */
export function totalSecondsOf({
  totalSeconds,
  fastestAnswerMs = 0,
  loaded: { profile },
}: Pick<Run, 'totalSeconds' | 'fastestAnswerMs' | 'loaded'>): number {
  const { totalSeconds: stated, requestsPerSecond = Infinity } = profile.limits ?? {};
  const scheduledSeconds = isTimeControlled(profile) ? 0 : timeBudgetSeconds(profile);
  const requestSeconds = mostRequests * Math.max(fastestAnswerMs / 1000, 1 / requestsPerSecond);
  const inTurnSeconds = makesFewCalls(profile) ? mostInTurnSeconds : 0;
  const usual =
    defaultTotalSeconds + scheduledSeconds + inTurnSeconds + Math.min(mostRequestSeconds, Math.ceil(requestSeconds));
  return totalSeconds ?? stated ?? usual;
}
