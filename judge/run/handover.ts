import type { RuleId } from '../../contract/rule.ts';
import type { Booking } from '../bookings.ts';
import type { Outcome } from '../outcome.ts';

/** What comes back from judging one rule; without an outcome when the run was stopped in the middle of its case. */
export interface Judgement {
  readonly outcome?: Outcome;
  readonly booked: readonly Booking[];
}

/** Judges one rule on the target; never rejects on purpose. The signal asks it to end at once. */
export type Judge = (rule: RuleId, signal: AbortSignal) => Promise<Judgement>;

/** What a run has to know of its cases to let them begin. */
export interface Plan {
  /** Seconds of a schedule; undefined for other cases. */
  readonly secondsOf: (rule: RuleId) => number | undefined;
  /** Whether schedules make time jump, so that no other case bears them. */
  readonly jumps: boolean;
  /** Whether the case restarts the service, which no other case bears; none unless given. */
  readonly restarts?: (rule: RuleId) => boolean;
  /** Whether the case takes long however fast the service is, so that it had better begin before others; none unless given. */
  readonly lasts?: (rule: RuleId) => boolean;
}

/** What a judge module exports: makes the judge in the thread where the cases run. */
export interface JudgeModule<Setup> {
  readonly judgeWith: (setup: Setup) => Promise<Judge>;
  /** No schedules unless given. */
  readonly planOf?: ((setup: Setup) => Promise<Plan>) | undefined;
}

/** What the main thread hands to the thread that runs the cases. */
export interface Handover {
  readonly rules: readonly RuleId[];
  /** Whether the rules are to begin in that order, and not those first that last. */
  readonly asGiven?: boolean;
  /** Longest time of one case, in ms; that of a schedule in real time comes on top. */
  readonly caseLimitMs: number;
  /** Cases under way at once, schedules aside. */
  readonly concurrency: number;
  /** URL of a module that exports `judgeWith`. */
  readonly judgeModule: string;
  /** What `judgeWith` is called with; has to survive a structured clone. */
  readonly setup: unknown;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly handover: Handover;
  }
  interface TaskMeta {
    judgement?: Judgement;
  }
}
