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
  return outcomes.map((outcome) => settleOne(outcome, byRule, standsOn));
}

function settleOne(outcome: Outcome, byRule: ReadonlyMap<string, Outcome>, standsOn: StandsOn): Outcome {
  if (outcome.verdict === 'blocked' && (outcome.precondition ?? outcome.standsOn) === undefined) return outcome;
  const reach = (one: Outcome): ReadonlySet<RuleId> => breachesBelow(one, byRule, standsOn);
  const below = [...reach(outcome)].filter((id) => id !== outcome.rule);
  const causes = below.filter((id) => !reachOf(id, byRule, reach).has(outcome.rule));
  const root = causes.find((id) => isRoot(id, causes, byRule, reach)) ?? causes[0];
  return root === undefined ? outcome : blockedBy(outcome, root, byRule.get(root)?.verdict === 'warn');
}

/** Settles outcomes while they come: each is told once, as soon as nothing that is still to come can change it. */
export class Settling {
  readonly #standsOn: StandsOn;
  readonly #toCome: Set<string>;
  readonly #heard = new Map<string, Outcome>();
  readonly #open = new Set<Outcome>();

  /** `rules` are those that will be heard. */
  constructor(rules: readonly RuleId[], standsOn: StandsOn) {
    this.#standsOn = standsOn;
    this.#toCome = new Set(rules);
  }

  /** Takes an outcome, and returns those that are final with it. */
  hear(outcome: Outcome): readonly Outcome[] {
    this.#heard.set(outcome.rule, outcome);
    this.#toCome.delete(outcome.rule);
    this.#open.add(outcome);
    const final = [...this.#open].filter((one) => this.#isFinal(one));
    for (const one of final) this.#open.delete(one);
    return final.map((one) => settleOne(one, this.#heard, this.#standsOn));
  }

  /** Whether all that could take its ground away was heard; the way down is that of `breachesBelow`, or a longer one. */
  #isFinal(outcome: Outcome): boolean {
    const seen = new Set<string>();
    const ways: Outcome[] = [outcome];
    for (let next = ways.pop(); next !== undefined; next = ways.pop())
      for (const id of [...this.#standsOn(next.rule), ...(next.standsOn ?? [])]) {
        if (this.#toCome.has(id)) return false;
        const below = this.#heard.get(id);
        if (below === undefined || seen.has(id)) continue;
        seen.add(id);
        if (isBreach(below) || isUnjudged(below)) ways.push(below);
      }
    return true;
  }
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
      if (isBreach(below) || (goesDeeper && isUnjudged(below))) open.push(below);
    }
  }
  return found;
}

/** Whether its case ended without a verdict, or did not begin for what the profile lacks. */
export function isUnjudged(outcome: Outcome): boolean {
  return isStumble(outcome) || (outcome.verdict === 'blocked' && (outcome.missing ?? []).length > 0);
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

function blockedBy(outcome: Outcome, root: RuleId, isGuideline: boolean): Outcome {
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
    reason: `stands on ${root}, which ${isGuideline ? 'is not kept' : 'failed'}`,
    standsOn: [root],
    ...(outcome.verdict !== 'blocked' && { byItself: outcome.verdict }),
    ...(precondition !== undefined && { precondition }),
    remarks,
  };
}
