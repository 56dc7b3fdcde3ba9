import { catalogue } from '../../suites/catalogue.ts';
import fc from 'fast-check';
import type { RuleId } from '../../contract/rule.ts';
import type { Outcome, Verdict } from '../outcome.ts';

/** Ids for outcomes that are made up. */
export const someRules: readonly RuleId[] = catalogue.all.slice(0, 8).map((rule) => rule.id);

const verdicts: readonly Verdict[] = ['pass', 'fail', 'warn', 'observed', 'blocked', 'broken'];

/** A made-up outcome. */
export function outcomeOf(rule: RuleId, verdict: Verdict, more: Partial<Outcome> = {}): Outcome {
  const violation =
    verdict === 'fail' || verdict === 'warn' ? { violation: { expected: 'one', actual: 'other', curl: [] } } : {};
  return {
    rule,
    verdict,
    observations: [],
    remarks: [],
    assertions: 1,
    exchanges: 1,
    durationMs: 1,
    ...violation,
    ...more,
  };
}

/** Outcomes of some of those rules, each once. */
export const outcomesArbitrary: fc.Arbitrary<readonly Outcome[]> = fc
  .array(
    fc.record({
      rule: fc.constantFrom(...someRules),
      verdict: fc.constantFrom(...verdicts),
      precondition: fc.option(fc.constant('an object'), { nil: undefined }),
    }),
    { maxLength: someRules.length * 2 },
  )
  .map((list) => [
    ...new Map(
      list.map(({ rule, verdict, precondition }) => [
        rule,
        outcomeOf(rule, verdict, verdict === 'blocked' && precondition !== undefined ? { precondition } : {}),
      ]),
    ).values(),
  ]);

/** Which of those rules stands on which, circles included. */
export const standsOnArbitrary: fc.Arbitrary<(rule: RuleId) => readonly RuleId[]> = fc
  .array(fc.tuple(fc.constantFrom(...someRules), fc.constantFrom(...someRules)), { maxLength: 16 })
  .map((pairs) => (rule) => pairs.filter(([from]) => from === rule).map(([, to]) => to));
