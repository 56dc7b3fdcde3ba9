import { catalogue } from '../../suites/catalogue.ts';
import type { Profile } from '../../contract/profile.ts';
import { matches } from '../../judge/run/glob.ts';
import { declaredOn } from '../check/declarations.ts';

/**
 * Why the profile explains that a rule is broken: it is a known failure, or the rule, or something that it needs, is not supported.
 * Entries whose last day is over explain nothing. @param day as 2027-01-31 @returns undefined where it says nothing
 */
export function explainedBy(
  profile: Pick<Profile, 'notSupported' | 'knownFailures'>,
  day: string,
): (rule: string) => string | undefined {
  const { notSupported, knownFailures } = declaredOn(day, profile);
  return (rule) => {
    if (Object.hasOwn(knownFailures, rule)) return knownFailures[rule];
    const names = [rule, ...(catalogue.find(rule)?.needs ?? [])];
    return Object.entries(notSupported).find(([pattern]) => names.some((name) => matches(pattern, name)))?.[1];
  };
}
