import type { RuleId } from '../../contract/rule.ts';
import { describe } from '../describe.ts';

/** What the documents decide and an answer does otherwise. */
export interface Breach {
  readonly rule: RuleId;
  readonly expected: string;
  readonly actual: string;
  /** Whether the object is not what the model believes it to be any more, so that nothing more can be said about it. */
  readonly isLasting: boolean;
}

/** Collects breaches in the words of an expectation. */
export interface Judging {
  readonly breaches: Breach[];
  /** Notes a breach of the rule unless the two are the same JSON. */
  equal(rule: RuleId, what: string, actual: unknown, expected: unknown, isLasting?: boolean): boolean;
  /** Notes a breach of the rule unless the condition holds. */
  holds(rule: RuleId, condition: boolean, expected: string, actual: string, isLasting?: boolean): boolean;
}

const longest = 200;

export function openJudging(): Judging {
  const breaches: Breach[] = [];
  const holds: Judging['holds'] = (rule, condition, expected, actual, isLasting = false) => {
    if (!condition && breaches.every((breach) => breach.rule !== rule))
      breaches.push({ rule, expected, actual, isLasting });
    return condition;
  };
  return {
    breaches,
    holds,
    equal: (rule, what, actual, expected, isLasting) =>
      holds(
        rule,
        JSON.stringify(actual) === JSON.stringify(expected),
        `${what} ${describe(expected, longest)}`,
        describe(actual, longest),
        isLasting,
      ),
  };
}
