import type { Outcome, RunHeader } from '../outcome.ts';
import { matches } from './glob.ts';

/** What the profile declares beforehand, with its reasons. */
export type Declared = Pick<RunHeader, 'notSupported' | 'knownFailures'>;

/**
 * What one settled outcome means for the run. `violation` and `stale` (a known failure that is none) exit with 1, `incomplete` with 3;
 * `known` and `declared` are explained by the profile.
 */
export type Weight = 'kept' | 'violation' | 'stale' | 'known' | 'declared' | 'incomplete';

export function weightOf(outcome: Outcome, declared: Declared): Weight {
  const known = Object.hasOwn(declared.knownFailures, outcome.rule);
  switch (outcome.verdict) {
    case 'broken':
      return 'incomplete';
    case 'blocked':
      return isDeclared(outcome, declared) ? 'declared' : 'incomplete';
    case 'fail':
      return known ? 'known' : 'violation';
    case 'warn':
      return known ? 'known' : 'kept';
    case 'pass':
    case 'observed':
      return known ? 'stale' : 'kept';
  }
}

/** The exit code of a run that got past the profile: 0 conforms, 1 violations, 3 incomplete. `aborted` says why it ended early, where it did. */
export function exitCodeOf(outcomes: readonly Outcome[], declared: Declared, aborted?: string): 0 | 1 | 3 {
  const weights = outcomes.map((outcome) => weightOf(outcome, declared));
  if (weights.some((weight) => weight === 'violation' || weight === 'stale')) return 1;
  if (aborted !== undefined || weights.includes('incomplete')) return 3;
  return weights.some((weight) => weight === 'kept' || weight === 'known') ? 0 : 3;
}

/** Blocked for what the profile explains: a rule or needs that the target does not offer, or a known failure that the rule stands on. */
function isDeclared(outcome: Outcome, declared: Declared): boolean {
  const named = (name: string): boolean => Object.keys(declared.notSupported).some((pattern) => matches(pattern, name));
  const missing = outcome.missing ?? [];
  return named(outcome.rule) || (missing.length > 0 && missing.every(named)) || standsOnKnownFailure(outcome, declared);
}

/** Had those rules to be declared one by one, the declarations would outlive the failure and hide the rules for good. */
function standsOnKnownFailure({ standsOn = [] }: Outcome, { knownFailures }: Declared): boolean {
  return standsOn.length > 0 && standsOn.every((rule) => Object.hasOwn(knownFailures, rule));
}
