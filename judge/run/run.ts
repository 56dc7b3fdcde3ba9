import { caseMsOf } from '../../contract/profile.ts';
import type { Need } from '../../contract/needs.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Booking } from '../case/bookings.ts';
import type { Conduct } from '../case/conduct.ts';
import type { Reached } from '../coverage/reached.ts';
import type { Outcome } from '../outcome.ts';
import type { ExchangeSpan } from '../case/trace.ts';
import type { LoadedProfile } from '../profile/load.ts';

/** Needs that the profile declares and that do not work on the target, each with a sentence that says what to change. */
export type Unusable = Readonly<Partial<Record<Need, string>>>;

/** One run, from the command line to the case: nothing but data, so that it goes to the thread of the cases as it is. */
export interface Run {
  readonly loaded: LoadedProfile;
  readonly rules: readonly RuleId[];
  /** Whether the rules are to begin in that order, and not those first that last. */
  readonly asGiven?: boolean;
  readonly seed: number;
  /** Generated runs of each property. */
  readonly runs: number;
  /** Part of every name that is new in this run, on a target that has seen others. */
  readonly mark?: string;
  /** Whether rules that those stand on are left to others, however those end. */
  readonly alone?: boolean;
  /** Rules of the run that another part of it judges, whatever stands on them here; none unless given. */
  readonly elsewhere?: readonly RuleId[];
  /** Whether the rules that one stands on are judged before it is told that it does not hold, and not at the end. */
  readonly groundsAtOnce?: boolean;
  /** Needs and rules, or patterns of them, that the profile says are not offered, with the reasons: nothing that they name is judged. */
  readonly notSupported?: Readonly<Record<string, string>>;
  /** What the preflight found not to work; nothing unless given. */
  readonly unusable?: Unusable;
  /** Whether it matters afterwards what the cases created. */
  readonly collect?: boolean;
  /** Whether somebody wants to know what each case does. */
  readonly observe?: boolean;
  /** Whether requests say of which rule they are, and whether what they were is wanted afterwards. */
  readonly tracing?: { readonly sends: boolean; readonly keeps: boolean };
  /** Whether somebody wants a script of each violation. */
  readonly repeat?: boolean;
  /** Whether it is enough to know that generated data fail, so that nobody looks for the smallest that do. */
  readonly asFound?: boolean;
  /** Cases under way at once, schedules aside; 16 unless given. */
  readonly concurrency?: number;
  /** Longest time of one case, in ms, and that of a schedule in real time on top; as the profile says unless given. */
  readonly caseLimitMs?: number;
  /** Whether what the cases see of the world is to be kept. */
  readonly record?: boolean;
  /** Secrets that were granted before the cases began; a target may send them back to any. */
  readonly granted?: readonly string[];
  /** What the fastest answer took in the preflight, in ms; next to nothing unless given. */
  readonly fastestAnswerMs?: number;
  /** Longest time of all cases together; as the profile says unless given. */
  readonly totalSeconds?: number;
}

/** What comes back from judging one rule; without an outcome when the run was stopped in the middle of its case. */
export interface Judgement {
  readonly outcome?: Outcome;
  readonly booked: readonly Booking[];
  /** What the case did, where the run asks for it. */
  readonly conduct?: Conduct;
  /** What was reached since the judgement before; in a run that observes each case, what this one reached. */
  readonly reached?: Reached;
  /** What the case sent, where the run asks for it; redacted. */
  readonly trace?: RuleTrace;
}

/** The requests of one rule; times in ms since the epoch. */
export interface RuleTrace {
  readonly rule: RuleId;
  readonly id: string;
  readonly rootSpanId: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly spans: readonly ExchangeSpan[];
}

/** Judges one rule on the target; never rejects on purpose. The signal asks it to end at once. */
export type Judge = (rule: RuleId, signal: AbortSignal) => Promise<Judgement>;

/** What a run has to know of its cases to let them begin. */
export interface Plan {
  /** Rules that a rule stands on; none unless given. */
  readonly standsOn?: (rule: RuleId) => readonly RuleId[];
  /** Whether another part of the run judges it. */
  readonly isElsewhere?: (rule: RuleId) => boolean;
  /** Seconds of a schedule; undefined for other cases. */
  readonly secondsOf: (rule: RuleId) => number | undefined;
  /** What the case needs for itself alone, so that cases with the same word run one after another; none unless given. */
  readonly claims?: (rule: RuleId) => string | undefined;
  /** Real time that a schedule takes, in ms, which is no part of the limit of its case; none unless given. */
  readonly realMs?: (rule: RuleId) => number;
  /** Whether schedules make time jump, so that no other case bears them. */
  readonly jumps: boolean;
  /** Whether the case waits for all others and runs alone: it restarts the service, holds up what they do, or looks back at them; none unless given. */
  readonly comesLast?: (rule: RuleId) => boolean;
  /** Whether the case takes long however fast the service is, so that it had better begin before others; none unless given. */
  readonly lasts?: (rule: RuleId) => boolean;
}

/** A judge with connections of its own, and what a run has to know of its cases. */
export interface OpenJudge extends AsyncDisposable {
  readonly judge: Judge;
  /** How long requests of a case were held back so far, or the machine held it back, which is no time of its own; in ms. */
  readonly heldBackMs: (rule: RuleId) => number;
  /** What a case that is under way waits for, as the end of a sentence. */
  readonly waitedFor: (rule: RuleId) => string;
  readonly plan: Plan;
  /** Ordinary cases that come behind schedules bear no time that stands. */
  readonly letTimeGoOn?: () => Promise<void>;
  /** What the cases saw of the world, in a run that is recorded. */
  readonly recorded?: () => Promise<Uint8Array>;
}

/** Tasks of an extension host that one case waits for, one after another, at most. */
const mostTasksOfCase = 8;

/** Requests of one case, one after another, at most. */
const mostRequestsOfCase = 1500;
const mostRequestsMs = 900_000;

/** Longest time of one case, in ms; a schedule in real time may take as much longer as it lasts. */
export function caseLimitMsOf({
  caseLimitMs,
  fastestAnswerMs = 0,
  loaded,
}: Pick<Run, 'caseLimitMs' | 'fastestAnswerMs' | 'loaded'>): number {
  const { profile } = loaded;
  if (caseLimitMs !== undefined || profile.limits?.caseSeconds !== undefined) return caseLimitMs ?? caseMsOf(profile);
  const taskSeconds = profile.extensionHost?.samples?.task?.seconds ?? 0;
  const tasksMs = mostTasksOfCase * taskSeconds * 1000;
  return caseMsOf(profile) + tasksMs + Math.min(mostRequestsMs, Math.ceil(mostRequestsOfCase * fastestAnswerMs));
}
