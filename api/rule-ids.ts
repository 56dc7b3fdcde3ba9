import type { hostRules, serviceRules } from '../suites/catalogue.ts';

/** Id of a rule of this version. */
export type KnownRuleId = keyof typeof serviceRules | keyof typeof hostRules;
