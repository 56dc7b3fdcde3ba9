import { catalogue } from '../../suites/catalogue.ts';
import { related } from '../../contract/related.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Outcome } from '../../judge/outcome.ts';

/**
 * What became of one fault. `killed`: the case of its own rule found it. `killed-by-other`: only other cases did. `survived`: none did.
 * `unjudged`: the own case could not judge (blocked, broken or absent) and no other one found it.
 */
export type FaultVerdict = 'killed' | 'killed-by-other' | 'survived' | 'unjudged';

export interface FaultRow {
  readonly fault: RuleId;
  readonly verdict: FaultVerdict;
  /** Verdict of the own case, before settling. */
  readonly own: Outcome['verdict'];
  /** What the own case found, or why it could not judge. */
  readonly found: string;
  /** Other rules that failed as they should: they stand on the broken one, it on them, or they are declared as related. */
  readonly related: readonly RuleId[];
  /** Rules that failed although the fault does not touch them. */
  readonly unrelated: readonly Stray[];
}

/** A rule that failed for no reason of its own, and what its case says. */
export interface Stray {
  readonly rule: RuleId;
  readonly found: string;
}

/** Judges the raw outcomes of the cases that ran under one fault; that of the fault's own rule is among them. */
export function faultRow(fault: RuleId, outcomes: readonly Outcome[]): FaultRow {
  const own = outcomes.find((outcome) => outcome.rule === fault);
  const failed = outcomes.filter((outcome) => outcome.rule !== fault && isBreach(outcome));
  const others = failed.map((outcome) => outcome.rule);
  const isRelated = (rule: RuleId): boolean => areRelated(fault, rule);
  return {
    fault,
    verdict: verdictOf(own, others),
    own: own?.verdict ?? 'broken',
    found: foundBy(own),
    related: others.filter(isRelated),
    unrelated: failed
      .filter(({ rule }) => !isRelated(rule))
      .map((outcome) => ({ rule: outcome.rule, found: foundBy(outcome) })),
  };
}

/** Whether a row is as it should be. */
export function isSound(row: FaultRow): boolean {
  return row.verdict === 'killed' && row.unrelated.length === 0;
}

/** The verdict that a broken rule has to get is that of its level; a rule that only records may differ from what the profile binds. */
function verdictOf(own: Outcome | undefined, others: readonly RuleId[]): FaultVerdict {
  if (own !== undefined && isKill(own)) return 'killed';
  if (others.length > 0) return 'killed-by-other';
  const judged = own?.verdict === 'pass' || own?.verdict === 'observed' || own?.verdict === 'warn';
  return judged ? 'survived' : 'unjudged';
}

function isKill({ rule, verdict }: Outcome): boolean {
  return catalogue.get(rule).level === 'must' ? verdict === 'fail' : verdict === 'fail' || verdict === 'warn';
}

function isBreach({ verdict }: Outcome): boolean {
  return verdict === 'fail' || verdict === 'warn';
}

function foundBy(own: Outcome | undefined): string {
  if (own === undefined) return 'no case';
  if (own.violation !== undefined) return `expected ${own.violation.expected}, found ${own.violation.actual}`;
  return own.reason ?? `the case ended with ${own.verdict}`;
}

function areRelated(fault: RuleId, rule: RuleId): boolean {
  if (catalogue.get(rule).repeats?.includes(catalogue.get(fault).area)) return true;
  return (
    standsOn(rule, fault) ||
    standsOn(fault, rule) ||
    (related[fault]?.some((declared) => declared.rule === rule) ?? false)
  );
}

/** Whether a rule stands on another one, directly or through others. */
function standsOn(rule: RuleId, ground: RuleId): boolean {
  const after = catalogue.get(rule).after ?? [];
  return after.includes(ground) || after.some((next) => standsOn(next, ground));
}
