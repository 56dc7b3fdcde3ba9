import type { RuleId } from './rules.ts';

/** A rule whose case has to fail as well when another one is broken, although neither stands on the other. */
export interface Related {
  readonly rule: RuleId;
  /** Why both say the same sentence of the document. */
  readonly because: string;
}

/** By broken rule: the rules that the same wrong implementation breaks necessarily. */
export const related: Readonly<Partial<Record<RuleId, readonly Related[]>>> = {};
