import type { RuleId } from '../../contract/rule.ts';

/** What a process with a copy of the judge is asked. */
export type JudgeTask =
  | ({ readonly kind: 'cover' } & Asked)
  | ({ readonly kind: 'try'; readonly mutant: string } & Asked);

interface Asked {
  /** Rules whose cases meet their own fault, and the right server. */
  readonly rules: readonly RuleId[];
  readonly seed: number;
  readonly runs: number;
}

export interface JudgeCoverage {
  readonly loading: readonly string[];
  readonly byRule: readonly (readonly [RuleId, readonly string[]])[];
  readonly wrong: readonly WrongVerdict[];
}

/** A verdict that the matrix does not let pass. */
export interface WrongVerdict {
  readonly rule: RuleId;
  /** As `the fault was not killed: …`. */
  readonly found: string;
}

export interface JudgeTried {
  readonly wrong: readonly WrongVerdict[];
}
