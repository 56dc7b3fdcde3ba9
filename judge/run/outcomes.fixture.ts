import fc from 'fast-check';
import type { RuleId } from '../../contract/rule.ts';
import type { Outcome, Verdict } from '../outcome.ts';
import { outcomeOf, someRules } from './outcome.fixture.ts';

const verdicts: readonly Verdict[] = ['pass', 'fail', 'warn', 'observed', 'blocked', 'broken'];

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
