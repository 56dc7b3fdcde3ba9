import { type Assessment, isViolated, type Standing } from './assessment.ts';
import { type Block, ruleName, sectionOf, withCode, paragraph } from './document.ts';
import matrix from './published/reference-server/kill-matrix.json' with { type: 'json' };

/** A known fault, and how much the pattern of what failed and passed with it is like that of a run: 1 where it is the same. */
export interface Likeness {
  /** Id of the rule that the fault breaks. */
  readonly fault: string;
  readonly likeness: number;
}

/** What failed, and what was judged at all, by ids of rules. */
interface Pattern {
  readonly failed: ReadonlySet<string>;
  readonly judged: ReadonlySet<string>;
}

const mostShown = 3;
/** Below it more of what either shows is missing in the other. */
const leastNear = 0.5;

/** The rules that fail with each known fault of the reference server. */
const patterns: readonly (readonly [fault: string, failing: readonly string[]])[] = Object.entries(matrix.faults).map(
  ([fault, { collateral }]) => [fault, [fault, ...collateral]],
);

/** With how many faults a rule fails. */
const timesFailing = new Map<string, number>();
for (const [, failing] of patterns)
  for (const rule of failing) timesFailing.set(rule, (timesFailing.get(rule) ?? 0) + 1);

function timesOf(rule: string): number {
  return timesFailing.get(rule) ?? 1;
}

function weightOfAll(rules: Iterable<string>): number {
  let sum = 0;
  // a rule that fails with many faults tells little
  for (const rule of rules) sum += Math.log(1 + patterns.length / timesOf(rule));
  return sum;
}

/**
 * The known faults that are nearest to what was seen, by the coefficient of Ochiai: rules that fail in both, in relation to those that fail
 * in either, each with its weight; of two that are as near the one whose own rule fails with fewer. A fault whose own rule did not fail is
 * not there, and a rule that was not judged tells nothing. None where nothing is near.
 */
export function nearestFaults({ failed, judged }: Pattern): readonly Likeness[] {
  const all = weightOfAll(failed);
  return patterns
    .filter(([fault]) => failed.has(fault))
    .map(([fault, collateral]) => {
      const failing = collateral.filter((rule) => judged.has(rule));
      const both = weightOfAll(failing.filter((rule) => failed.has(rule)));
      return { fault, likeness: Number((both / Math.sqrt(weightOfAll(failing) * all)).toFixed(3)) };
    })
    .filter(({ likeness }) => likeness >= leastNear)
    .toSorted((one, other) => other.likeness - one.likeness || timesOf(one.fault) - timesOf(other.fault))
    .slice(0, mostShown);
}

/** The same for a run. What the profile expects to fail is not looked at. */
export function likenessOf({ standings, failures, warnings, known }: Assessment): readonly Likeness[] {
  const excused = new Set(known.map(({ rule }) => rule));
  const failed = new Set<string>([...failures, ...warnings].map(({ rule }) => rule.id));
  const judged = new Set<string>(failed);
  for (const standing of standings) {
    const { id } = standing.rule;
    const verdict = standing.outcome?.byItself ?? standing.state;
    if (excused.has(id)) continue;
    if (isViolated(verdict)) failed.add(id);
    if (verdict === 'pass' || failed.has(id)) judged.add(id);
  }
  return nearestFaults({ failed, judged });
}

/** A hint for whoever looks for the cause, in the words of the faults. */
export function likenessBlocks(assessment: Assessment): readonly Block[] {
  const rules = new Map<string, Standing['rule']>(assessment.standings.map(({ rule }) => [rule.id, rule]));
  const items = likenessOf(assessment).map(({ fault, likeness }) => [
    withCode(rules.get(fault)?.fault ?? fault),
    ` (${likeness.toFixed(2)}), as with the fault of `,
    ruleName(fault),
  ]);
  if (items.length === 0) return [];
  return sectionOf('What it looks like', [
    paragraph('The known faults with which most nearly the same rules fail and pass: a hint, no verdict.'),
    { kind: 'list', items },
  ]);
}
