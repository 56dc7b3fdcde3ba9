import type { RuleId } from '../../contract/rule.ts';
import { isBreach, isStumble, type Outcome } from '../outcome.ts';

type StandsOn = (rule: RuleId) => readonly string[];

/**
 * Takes back every verdict that stands on a broken rule: its check proves nothing, so it becomes `blocked` and names that rule.
 * A pass blocks no other rule. What could not be judged blocks none either, but what failed on such ground leans on what lies below it.
 * Settling twice is settling once. Source: rule catalogue, after.
 */
export function settle(outcomes: readonly Outcome[], standsOn: StandsOn): readonly Outcome[] {
  const byRule = new Map<string, Outcome>(outcomes.map((outcome) => [outcome.rule, outcome]));
  const reach = (outcome: Outcome): ReadonlySet<RuleId> => breachesBelow(outcome, byRule, standsOn);
  return outcomes.map((outcome) => {
    if (outcome.verdict === 'blocked' && outcome.precondition === undefined) return outcome;
    const below = [...reach(outcome)].filter((id) => id !== outcome.rule);
    const causes = below.filter((id) => !reachOf(id, byRule, reach).has(outcome.rule));
    const root = causes.find((id) => isRoot(id, causes, byRule, reach)) ?? causes[0];
    return root === undefined ? outcome : blockedBy(outcome, root);
  });
}

/** Every broken rule that the outcome stands on: through broken ones, and where it did not hold itself through what could not be judged. */
function breachesBelow(
  outcome: Outcome,
  byRule: ReadonlyMap<string, Outcome>,
  standsOn: StandsOn,
): ReadonlySet<RuleId> {
  const goesDeeper = isBreach(outcome) || isStumble(outcome);
  const found = new Set<RuleId>();
  const seen = new Set<RuleId>();
  const open: Outcome[] = [outcome];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const id of [...standsOn(next.rule), ...(next.standsOn ?? [])]) {
      const below = byRule.get(id);
      if (below === undefined || seen.has(below.rule)) continue;
      seen.add(below.rule);
      if (isBreach(below)) found.add(below.rule);
      if (isBreach(below) || (goesDeeper && isStumble(below))) open.push(below);
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
  // what could not be judged stays known as such, so that settling again finds the same way down
  const precondition = isStumble(outcome) ? (outcome.precondition ?? outcome.reason ?? 'a case that ends') : undefined;
  return {
    ...rest,
    verdict: 'blocked',
    reason: `stands on ${root}, which failed`,
    standsOn: [root],
    ...(precondition !== undefined && { precondition }),
    remarks,
  };
}
