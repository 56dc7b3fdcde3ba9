import type { RuleId } from '../../contract/rule.ts';
import type { Outcome, Verdict } from '../outcome.ts';

/** Ids for outcomes that are made up. They stand here by name: threads of tests that need no case load none. */
export const someRules: readonly RuleId[] = [
  'reading.instance.short-route-served',
  'reading.instance.long-route-served',
  'reading.body.href-leads-back',
  'reading.body.data-is-object',
  'reading.body.version-is-integer',
  'reading.body.links-is-array',
  'reading.body.schema-is-object',
  'reading.system.version-matches-top-level',
];

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
