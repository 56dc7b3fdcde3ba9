import type { RuleId } from '../../contract/rule.ts';
import { isBreach, type Outcome } from '../../judge/outcome.ts';
import { catalogue } from '../../suites/catalogue.ts';

/**
 * What became of a mutant. `rule`: a rule failed. `guideline`: only guidelines were not kept. `refused`: the preflight ended the run.
 * `fell`: what is judged no longer answered, or ended. `unjudged`: no rule names it, but cases that judge otherwise could not, so that the run
 * is not green. `observed`: only records differ. `survived`: nothing does.
 */
export const fates = ['rule', 'guideline', 'refused', 'fell', 'unjudged', 'observed', 'survived'] as const;
export type Fate = (typeof fates)[number];

/** Whether the run tells that something is wrong. */
export function isNoticed(fate: Fate): boolean {
  return fate !== 'observed' && fate !== 'survived';
}

/** What the cases say of the copy when nothing is switched on. */
export interface Control {
  /** Rules that judge it, and find it right, each time. */
  readonly steady: ReadonlySet<RuleId>;
  /** What was seen, of those rules that saw the same twice. */
  readonly seen: ReadonlyMap<RuleId, string>;
}

/** @param runs outcomes of every rule, of each time; the first says what is steady */
export function controlOf([first, ...others]: readonly [readonly Outcome[], ...(readonly Outcome[])[]]): Control {
  const steady = new Set(first.filter(isWell).map(({ rule }) => rule));
  const again = others.map((outcomes) => new Map(outcomes.map((outcome) => [outcome.rule, seenBy(outcome)])));
  const lasting = first.filter((outcome) => again.every((run) => run.get(outcome.rule) === seenBy(outcome)));
  return { steady, seen: new Map(lasting.map((outcome) => [outcome.rule, seenBy(outcome)])) };
}

/** How one outcome differs from the control; undefined: it does not. */
export function signOf(outcome: Outcome, control: Control): Fate | undefined {
  const { rule, verdict } = outcome;
  if (!control.steady.has(rule)) return undefined;
  if (isBreach(outcome) && catalogue.get(rule).level === 'observe') return 'observed';
  if (verdict === 'fail') return 'rule';
  if (verdict === 'warn') return 'guideline';
  if (!isWell(outcome)) return 'unjudged';
  const seen = control.seen.get(rule);
  return seen !== undefined && seen !== seenBy(outcome) ? 'observed' : undefined;
}

/** The fate that counts, of those that cases saw: a rule before a guideline, and so on. */
export function worstOf(signs: readonly Fate[]): Fate {
  return fates.find((fate) => signs.includes(fate)) ?? 'survived';
}

/** Cases in a row that did not end are enough to know that nothing answers. */
const enoughHanging = 5;
const hangs = /did not end within/;

/** Whether what is judged hangs, so that further cases would only wait. */
export function isHanging(outcomes: readonly Outcome[]): boolean {
  return outcomes.filter(({ reason = '' }) => hangs.test(reason)).length >= enoughHanging;
}

/** Whether a rule judged, and found nothing. */
export function isWell({ verdict }: Outcome): boolean {
  return verdict === 'pass' || verdict === 'observed';
}

/** What was seen, each thing once and by name: how often, and in which order, depends on what was tried and what ran beside it. */
function seenBy({ verdict, observations }: Outcome): string {
  const seen = new Set(observations.map((observation) => `${observation.what}: ${observation.seen}`));
  return [verdict, ...[...seen].toSorted()].join('\n');
}
