import type { RuleId } from '../../contract/rule.ts';
import type { Outcome } from '../../judge/outcome.ts';
import type { Circumstance } from './circumstances.ts';
import type { Ground } from './places.ts';

/** What a process of judged copies is asked. */
export type ServiceTask =
  | ({ readonly kind: 'cover'; readonly rules: readonly RuleId[] } & Asked)
  | ({
      readonly kind: 'try';
      readonly mutant?: string;
      /** Where alone it is on; everywhere unless given. */
      readonly circumstance?: Circumstance | undefined;
      readonly preflight: boolean;
      /** Rules that try as many generated values as they do alone. */
      readonly own: readonly RuleId[];
      readonly others: readonly RuleId[];
      /** Rules about what the cases of the others met. */
      readonly lookingBack: readonly RuleId[];
    } & Asked);

interface Asked {
  readonly ground: Ground;
  readonly seed: number;
  readonly runs: number;
  /** Longest case, in ms. */
  readonly caseLimitMs: number;
}

/** Ids of mutants whose place ran. */
export interface Coverage {
  /** While modules were loaded. */
  readonly loading: readonly string[];
  /** While the server started and the preflight tried it. */
  readonly start: readonly string[];
  /** With the circumstances in which it ran, a bit each. */
  readonly byRule: readonly (readonly [RuleId, readonly (readonly [id: string, bits: number])[]])[];
  readonly outcomes: readonly Outcome[];
}

export interface Tried {
  /** Why nothing could be judged. */
  readonly refused?: string;
  readonly outcomes: readonly Outcome[];
}
