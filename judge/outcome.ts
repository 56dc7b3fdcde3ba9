import type { ClassName } from '../contract/classes.ts';
import type { RuleId } from '../contract/rule.ts';
import type { Reached } from './coverage/reached.ts';
import type { Exchange } from './exchange.ts';
import type { NoRepetition, Repetition } from './repeat/repetition.ts';

/** pass, fail, warn, observed, blocked, broken as in the README. */
export type Verdict = 'pass' | 'fail' | 'warn' | 'observed' | 'blocked' | 'broken';

/** What a violated rule shows; every text is redacted and free of control characters. */
export interface ViolationReport {
  readonly expected: string;
  readonly actual: string;
  /** Curl lines, the last of which shows the violation; secrets stand as names of variables. */
  readonly curl: readonly string[];
  readonly exchange?: Exchange;
  /** The smallest generated value that still fails, as JSON, and the path of fast-check that leads to it. */
  readonly counterexample?: string;
  /** The same as a script, where the run asks for it. */
  readonly repetition?: Repetition | NoRepetition;
}

export interface Observation {
  readonly what: string;
  readonly seen: string;
  /** Key of the profile that binds it, where there is one. */
  readonly key?: string;
}

/** A schedule as the documents have it, and what came; times in whole ms from zero. */
export interface Timeline {
  readonly title: string;
  /** What happened at 0 ms, as `the first attempt`. */
  readonly zero: string;
  readonly expected: readonly ExpectedSpan[];
  readonly seen: readonly SeenMark[];
  /** Marks for which there was no room. */
  readonly leftOut?: number;
}

/** A span of time; without an end it goes on. */
export interface ExpectedSpan {
  readonly label: string;
  readonly fromMs: number;
  readonly untilMs?: number;
  /** How many are due in it; 0: none may come. */
  readonly calls: number;
  /** How many of them did not come. */
  readonly missing?: number;
}

/** What came, and when it had ended. */
export interface SeenMark {
  readonly label: string;
  readonly atMs: number;
  readonly untilMs?: number;
  readonly status?: number;
  /** Outside the span in which it was due, or not due at all. */
  readonly isOff?: boolean;
}

/** What the requests of a case say of where they come from. */
export interface TraceName {
  /** Of the trace, 32 hexadecimal digits. */
  readonly id: string;
  /** With what each X-Correlation-Id begins, where the suite sends one. */
  readonly correlation?: string;
}

/** The end of one rule's case; one line of outcomes.ndjson. */
export interface Outcome {
  readonly rule: RuleId;
  readonly verdict: Verdict;
  /** One sentence for blocked and broken: why, and what to do. */
  readonly reason?: string;
  /** Rules whose failure explains a broken or blocked outcome. */
  readonly standsOn?: readonly RuleId[];
  /** The verdict that its case came to, where it was taken back because of them. */
  readonly byItself?: Verdict;
  /** What the case needed of the target and did not get, so that it could not judge. */
  readonly precondition?: string;
  /** Needs that the profile does not meet. */
  readonly missing?: readonly string[];
  readonly violation?: ViolationReport;
  /** Of a violation: by what the requests of its case are found in the log of the service. */
  readonly trace?: TraceName;
  readonly observations: readonly Observation[];
  readonly remarks: readonly string[];
  /** Schedules that the case held against what came. */
  readonly timelines?: readonly Timeline[];
  readonly assertions: number;
  readonly exchanges: number;
  /** Requests or whole cases that had to be sent again, and why. */
  readonly retries?: readonly string[];
  readonly durationMs: number;
}

/** The outcome of a rule that the suite itself could not judge. */
export function brokenOutcome(rule: RuleId, reason: string, durationMs = 0): Outcome {
  return { ...nothingSeen, rule, verdict: 'broken', reason, durationMs };
}

/** The outcome of a rule whose case does not begin. */
export function blockedBecause(rule: RuleId, reason: string): Outcome {
  return { ...nothingSeen, rule, verdict: 'blocked', reason };
}

const nothingSeen = { observations: [], remarks: [], assertions: 0, exchanges: 0, durationMs: 0 } as const;

/** Whether the target broke the rule: a guideline that is not kept takes the ground from others as much as a breach does. */
export function isBreach({ verdict }: Outcome): boolean {
  return verdict === 'fail' || verdict === 'warn';
}

/** Whether the case could not judge for what happened in it: the target did not do what it needed, or the suite itself stumbled. */
export function isStumble({ verdict, precondition }: Outcome): boolean {
  return verdict === 'broken' || (verdict === 'blocked' && precondition !== undefined);
}

/** First line of outcomes.ndjson. */
export interface RunHeader {
  readonly schemaVersion: 1;
  readonly kind: 'run';
  readonly implementation: string;
  readonly baseUrl: string;
  readonly seed: number;
  readonly runs: number;
  readonly startedAt: string;
  readonly suiteVersion: string;
  /** The command that repeats this run. */
  readonly command: string;
  /** Rules selected, pending ones included. */
  readonly selected: readonly RuleId[];
  readonly notSupported: Readonly<Record<string, string>>;
  readonly knownFailures: Readonly<Record<string, string>>;
  /** Classes that the profile claims. */
  readonly claims?: readonly string[];
  /** Rules of knownFailures that were one rule before, each with its id: while one of them fails, the others may pass. */
  readonly split?: Readonly<Record<string, string>>;
  /** Entries of those two lists whose last day is over; they explain nothing any more. */
  readonly expired?: readonly ExpiredEntry[];
  /** What of the outcomes counts, where the command line said so. */
  readonly gate?: Gate;
  /** Which part of a whole run this is. */
  readonly shard?: Shard;
  /** Tells profiles apart without showing them: secrets, hosts and ports are no part of it. */
  readonly profileDigest?: string;
  /** How a reader of the report gets the tokens that the curl lines name. */
  readonly variables: Readonly<Record<string, string>>;
}

/** An entry of the profile whose last day is over. */
export interface ExpiredEntry {
  readonly list: 'knownFailures' | 'notSupported';
  /** Need or rule, or a pattern of them. */
  readonly entry: string;
  readonly reason: string;
  /** Last day on which it held, UTC, as 2027-01-31. */
  readonly until: string;
}

/** Which outcomes lead to exit code 1 or 3. */
export interface Gate {
  /** Guidelines count as rules do. */
  readonly failOn?: 'should';
  /** Guidelines that may be left unkept. */
  readonly maxWarnings?: number;
  /** Classes that have to be kept. */
  readonly require?: readonly ClassName[];
  /** Verdicts of an earlier run, by rule: one that is the same now does not count. */
  readonly since?: { readonly report: string; readonly states: Readonly<Record<string, string>> };
}

/** The part `index` (from 1) of `of` parts that a run is dealt out to. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** Last line of outcomes.ndjson; absent when the run was cut off. */
export interface RunFooter {
  readonly kind: 'end';
  readonly durationMs: number;
  /** Objects that are still there, by URI, and why. */
  readonly remains: readonly { readonly uri: string; readonly reason: string }[];
  /** Why the run ended early, where it did. */
  readonly aborted?: string;
  readonly requests: number;
  /** What its requests reached of the documents, and which keys its profile has. */
  readonly reached?: ReachedByRun;
}

interface ReachedByRun extends Reached {
  /** Keys of the schema of a profile, as `softTypes.primary.arrayPort.member`. */
  readonly keys: readonly string[];
}
