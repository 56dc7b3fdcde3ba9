import type { RuleId } from '../contract/rule.ts';
import type { RuleList } from '../contract/schemas/rule-list.ts';
import type { Rule } from '../judge/rule.ts';
import rows from './documents/rules.json' with { type: 'json' };

/** A rule without its case, as `rules --json` prints it. */
export type ListedRule = RuleList['rules'][number] & { readonly id: RuleId };

/**
 * Every rule. The package has them as a file, so that commands that judge nothing load no case; `npm run docs` writes it, and a test holds
 * it against the catalogue. Where the sources run, a rule that was just written is known at once.
 */
export const listedRules: readonly ListedRule[] = import.meta.url.endsWith('.ts')
  ? listRules((await import('../suites/catalogue.ts')).catalogue.all)
  : (rows as readonly ListedRule[]);

/** The same of rules that are loaded. */
export function listRules(rules: readonly Rule[]): readonly ListedRule[] {
  return rules.map(({ after, repeats: _, needs, test, ...rest }) => ({
    ...rest,
    kind: test.kind,
    needs: [...needs],
    ...(test.seconds !== undefined && { seconds: test.seconds }),
    ...(after !== undefined && { after: [...after] }),
  }));
}
