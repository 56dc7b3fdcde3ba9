import type { RuleId } from '../../contract/rule.ts';
import type { Outcome } from '../outcome.ts';

type StandsOn = (rule: RuleId) => readonly string[];

/**
 * Takes back every verdict that stands on a broken rule: its check proves nothing, so it becomes `blocked` and names that rule.
 * A blocked rule blocks no other one. Settling twice is settling once. Source: rule catalogue, after.
 */
export function settle(outcomes: readonly Outcome[], standsOn: StandsOn): readonly Outcome[] {
  const byRule = new Map<string, Outcome>(outcomes.map((outcome) => [outcome.rule, outcome]));
  const reach = (outcome: Outcome): ReadonlySet<RuleId> => brokenBelow(outcome, byRule, standsOn);
  return outcomes.map((outcome) => {
    if (outcome.verdict === 'blocked') return outcome;
    const below = [...reach(outcome)].filter((id) => id !== outcome.rule);
    const causes = below.filter((id) => !reachOf(id, byRule, reach).has(outcome.rule));
    const root = causes.find((id) => isRoot(id, causes, byRule, reach)) ?? causes[0];
    return root === undefined ? outcome : blockedBy(outcome, root);
  });
}

/** Whether the target broke the rule: a guideline that is not kept takes the ground from others as much as a breach does. */
export function isBroken(outcome: Outcome): boolean {
  return outcome.verdict === 'fail' || outcome.verdict === 'warn';
}

/** Every broken rule that the outcome stands on, through broken ones. */
function brokenBelow(outcome: Outcome, byRule: ReadonlyMap<string, Outcome>, standsOn: StandsOn): ReadonlySet<RuleId> {
  const found = new Set<RuleId>();
  const open: Outcome[] = [outcome];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const id of [...standsOn(next.rule), ...(next.standsOn ?? [])]) {
      const below = byRule.get(id);
      if (below === undefined || !isBroken(below) || found.has(below.rule)) continue;
      found.add(below.rule);
      open.push(below);
    }
  }
  return found;
}

function reachOf(
  id: RuleId,
  byRule: ReadonlyMap<string, Outcome>,
  reach: (outcome: Outcome) => ReadonlySet<RuleId>,
): ReadonlySet<RuleId> {
  const outcome = byRule.get(id);
  return outcome === undefined ? new Set() : reach(outcome);
}

/** A cause that stands on no further cause: the one to repair first. */
function isRoot(
  id: RuleId,
  causes: readonly RuleId[],
  byRule: ReadonlyMap<string, Outcome>,
  reach: (outcome: Outcome) => ReadonlySet<RuleId>,
): boolean {
  const below = reachOf(id, byRule, reach);
  return causes.every((other) => other === id || !below.has(other));
}

function blockedBy(outcome: Outcome, root: RuleId): Outcome {
  const { violation, ...rest } = outcome;
  const remarks =
    violation === undefined
      ? rest.remarks
      : [...rest.remarks, `by itself the case found ${violation.actual}, expected ${violation.expected}`];
  return { ...rest, verdict: 'blocked', reason: `stands on ${root}, which failed`, standsOn: [root], remarks };
}
