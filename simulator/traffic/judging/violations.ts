import type { RuleId } from '../../../contract/rule.ts';
import type { TrafficExchange } from '../engine.ts';

/** A rule that the traffic saw broken: the first time it was, and how often. */
export interface FoundViolation {
  readonly rule: RuleId;
  readonly expected: string;
  readonly actual: string;
  readonly exchange?: TrafficExchange;
  readonly count: number;
  /** How often in each second of the load. */
  readonly bySecond: ReadonlyMap<number, number>;
}

/** @param at when it was broken, in monotonic ms; when the answer had come, or now, unless given */
export type Complain = (
  rule: RuleId,
  expected: string,
  actual: string,
  exchange?: TrafficExchange,
  at?: number,
) => void;

/** Longest text of a target that is kept. */
const longestText = 500;

export class Violations {
  readonly #found = new Map<RuleId, FoundViolation>();
  readonly #bySecond = new Map<RuleId, Map<number, number>>();
  readonly #startedAt: number;

  /** @param startedAt when the load began, in monotonic ms */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  readonly complain: Complain = (rule, expected, actual, exchange, at = exchange?.endedAt ?? performance.now()) => {
    const bySecond = this.#bySecond.get(rule) ?? new Map<number, number>();
    this.#bySecond.set(rule, bySecond);
    const second = Math.max(0, Math.floor((at - this.#startedAt) / 1000));
    bySecond.set(second, (bySecond.get(second) ?? 0) + 1);
    const known = this.#found.get(rule);
    if (known !== undefined) this.#found.set(rule, { ...known, count: known.count + 1 });
    else
      this.#found.set(rule, {
        rule,
        expected,
        actual: shorten(actual),
        count: 1,
        bySecond,
        ...(exchange && { exchange }),
      });
  };

  /** Times that any rule was broken. */
  get count(): number {
    return this.#found.values().reduce((sum, { count }) => sum + count, 0);
  }

  all(): readonly FoundViolation[] {
    return [...this.#found.values()].toSorted((one, other) => one.rule.localeCompare(other.rule));
  }
}

/** Times that any of the rules was broken, by second. */
export function sumSeconds(found: readonly Pick<FoundViolation, 'bySecond'>[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const [second, times] of found.flatMap(({ bySecond }) => [...bySecond]))
    sums.set(second, (sums.get(second) ?? 0) + times);
  return sums;
}

function shorten(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}… (${text.length} characters)`;
}
