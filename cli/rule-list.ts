import { type ListedRule, listRules, rules } from '../api/rules.ts';

/**
 * Every rule. The package has them as a file, so that commands that judge nothing load no case; `npm run docs` writes it, and a test holds
 * it against the catalogue. Where the sources run, a rule that was just written is known at once.
 */
export const listedRules: readonly ListedRule[] = import.meta.url.endsWith('.ts')
  ? listRules((await import('../suites/catalogue.ts')).catalogue.all)
  : rules;
