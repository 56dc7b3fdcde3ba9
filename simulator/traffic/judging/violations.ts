import type { RuleId } from '../../../contract/rules.ts';
import type { TrafficExchange } from '../engine.ts';

/** A rule that the traffic saw broken: the first time it was, and how often. */
export interface FoundViolation {
  readonly rule: RuleId;
  readonly expected: string;
  readonly actual: string;
  readonly exchange?: TrafficExchange;
  readonly count: number;
}

export type Complain = (rule: RuleId, expected: string, actual: string, exchange?: TrafficExchange) => void;

/** Longest text of a target that is kept. */
const longestText = 500;

export class Violations {
  readonly #found = new Map<RuleId, FoundViolation>();

  readonly complain: Complain = (rule, expected, actual, exchange) => {
    const known = this.#found.get(rule);
    if (known !== undefined) this.#found.set(rule, { ...known, count: known.count + 1 });
    else this.#found.set(rule, { rule, expected, actual: shortened(actual), count: 1, ...(exchange && { exchange }) });
  };

  /** Times that any rule was broken. */
  get count(): number {
    return this.#found.values().reduce((sum, { count }) => sum + count, 0);
  }

  all(): readonly FoundViolation[] {
    return [...this.#found.values()].toSorted((one, other) => one.rule.localeCompare(other.rule));
  }
}

function shortened(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}… (${text.length} characters)`;
}
