import type { RuleId } from '../../contract/rule.ts';

/** Which of the two implementations. */
export type PartyName = 'first' | 'second';

/** One of the two implementations, as a report names it. */
export interface NamedParty {
  readonly implementation: string;
  readonly baseUrl: string;
  /** How a reader gets each variable of its curl lines. */
  readonly variables: Readonly<Record<string, string>>;
}

/** What the documents decide and one of the two does otherwise. */
export interface FoundBreach {
  readonly rule: RuleId;
  readonly party: PartyName;
  /** Command and situation in words. */
  readonly where: string;
  readonly expected: string;
  readonly actual: string;
  /** Whether the other one breaks the rule as well, in this comparison. */
  readonly isShared: boolean;
  /** Why the profile of that implementation expects it: it does not count then. */
  readonly known?: string;
  /** The shortest history found that shows it, in words. */
  readonly history: string;
  /** The history as lines for a shell, against the one that is wrong. */
  readonly curl: readonly string[];
}

/** A point of the ledger that leaves a difference open. */
export interface CoveringSilence {
  readonly id: string;
  readonly open: string;
  /** Keys of the profile that bind it. */
  readonly profile: readonly string[];
}

/** What the documents leave open and the two do differently. */
export interface FoundDifference {
  /** Command, or the kind of answer where it shows in many. */
  readonly command: string;
  readonly situation: string;
  readonly aspect: string;
  readonly first: string;
  readonly second: string;
  /** Absent where the ledger has no such point. */
  readonly silence?: CoveringSilence;
  /** Commands after which it showed, each once. */
  readonly seenIn: readonly string[];
  readonly history: string;
  readonly curl: Readonly<Record<PartyName, readonly string[]>>;
}

/** Two implementations that were given the same requests. */
export interface Differential {
  readonly schemaVersion: 1;
  readonly kind: 'differential';
  readonly first: NamedParty;
  readonly second: NamedParty;
  readonly seed: number;
  /** Histories that were generated, those ahead of them not counted. */
  readonly runs: number;
  /** The line that does it again. */
  readonly command: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly histories: number;
  readonly requests: number;
  /** What is taken for granted about the second one. */
  readonly assumed: readonly string[];
  /** What was not compared, and why. */
  readonly leftOut: readonly string[];
  readonly breaches: readonly FoundBreach[];
  readonly differences: readonly FoundDifference[];
  /** What could not be deleted. */
  readonly remains: readonly { readonly party: PartyName; readonly uri: string; readonly reason: string }[];
  /** Why it ended early. */
  readonly aborted?: string;
}
