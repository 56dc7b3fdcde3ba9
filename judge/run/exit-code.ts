import { isBreach, type Outcome, type RunHeader } from '../outcome.ts';
import { matches } from './glob.ts';

/** What the profile declares beforehand, with its reasons, and what the command line counts. */
export type Declared = Pick<RunHeader, 'notSupported' | 'knownFailures' | 'expired' | 'gate'>;

/**
 * What one settled outcome means for the run. `violation` and `stale` (a known failure that is none) exit with 1, `incomplete` with 3;
 * `known` and `declared` are explained by the profile, `unchanged` by the report that the run is held against.
 */
export type Weight = 'kept' | 'warning' | 'violation' | 'stale' | 'known' | 'declared' | 'incomplete' | 'unchanged';

/** `failing`: rules that failed or warned in the same run. */
export function weightOf(outcome: Outcome, declared: Declared, failing: ReadonlySet<string> = none): Weight {
  if (declared.gate?.since?.states[outcome.rule] === outcome.verdict) return 'unchanged';
  const known = Object.hasOwn(declared.knownFailures, outcome.rule);
  switch (outcome.verdict) {
    case 'broken':
      return 'incomplete';
    case 'blocked':
      return isDeclared(outcome, declared, failing) ? 'declared' : 'incomplete';
    case 'fail':
      return known ? 'known' : 'violation';
    case 'warn':
      return known ? 'known' : warningWeight(declared);
    case 'pass':
    case 'observed':
      return known ? 'stale' : 'kept';
  }
}

/** The exit code of a run that got past the profile: 0 conforms, 1 violations, 3 incomplete. `aborted` says why it ended early, where it did. */
export function exitCodeOf(outcomes: readonly Outcome[], declared: Declared, aborted?: string): 0 | 1 | 3 {
  const failing = new Set<string>(outcomes.filter(isBreach).map(({ rule }) => rule));
  const weights = outcomes.map((outcome) => weightOf(outcome, declared, failing));
  if (isViolated(weights, declared)) return 1;
  if (aborted !== undefined || weights.includes('incomplete')) return 3;
  return outcomes.some(({ verdict }) => verdict !== 'blocked' && verdict !== 'broken') ? 0 : 3;
}

const none: ReadonlySet<string> = new Set();

function isViolated(weights: readonly Weight[], { expired = [], gate = {} }: Declared): boolean {
  const warnings = weights.filter((weight) => weight === 'warning').length;
  return (
    expired.length > 0 ||
    warnings > (gate.maxWarnings ?? warnings) ||
    weights.some((weight) => weight === 'violation' || weight === 'stale')
  );
}

function warningWeight({ gate }: Declared): Weight {
  return gate?.failOn === 'should' ? 'violation' : 'warning';
}

/** Blocked for what is explained: a rule or needs that the target does not offer, or failures that the rule stands on. */
function isDeclared(outcome: Outcome, declared: Declared, failing: ReadonlySet<string>): boolean {
  const named = (name: string): boolean => Object.keys(declared.notSupported).some((pattern) => matches(pattern, name));
  const missing = outcome.missing ?? [];
  return (
    named(outcome.rule) || (missing.length > 0 && missing.every(named)) || standsOnFailures(outcome, declared, failing)
  );
}

/** Had those rules to be declared one by one, the declarations would outlive the failure and hide the rules for good. */
function standsOnFailures(
  { standsOn = [] }: Outcome,
  { knownFailures }: Declared,
  failing: ReadonlySet<string>,
): boolean {
  return standsOn.length > 0 && standsOn.every((rule) => Object.hasOwn(knownFailures, rule) || failing.has(rule));
}
