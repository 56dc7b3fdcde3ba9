import type { RuleId } from '../contract/rule.ts';
import type { RuleList } from '../contract/schemas/rule-list.ts';
import type { Rule } from '../judge/rule.ts';
import rows from './rules.json' with { type: 'json' };

/** A rule without its case, as `rules --json` prints it. */
export type ListedRule = RuleList['rules'][number] & { readonly id: RuleId };

/** Every rule, in the order in which reports show them. */
export const rules: readonly ListedRule[] = rows as readonly ListedRule[];

/** Rules that are loaded, without their cases. */
export function listRules(rules: readonly Rule[]): readonly ListedRule[] {
  return rules.map(({ after, repeats: _, needs, test, ...rest }) => ({
    ...rest,
    kind: test.kind,
    needs: [...needs],
    ...(test.seconds !== undefined && { seconds: test.seconds }),
    ...(after !== undefined && { after: [...after] }),
  }));
}
