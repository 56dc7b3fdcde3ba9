import type { Rule } from '../rule.ts';
import type { Shard } from '../outcome.ts';

/**
 * The rules of one part of a run, in their order. The longest schedules are dealt out first and everything else behind them, one to each
 * part in turn, so that every part takes about as long and the same selection is always dealt alike.
 */
export function rulesOfShard(rules: readonly Rule[], { index, of }: Shard): readonly Rule[] {
  const dealt = rules.toSorted((one, other) => lengthOf(other) - lengthOf(one));
  const own = new Set(dealt.filter((_rule, place) => place % of === index - 1));
  return rules.filter((rule) => own.has(rule));
}

/** Service time of its schedule, in seconds. */
function lengthOf({ test }: Rule): number {
  return test.seconds ?? 0;
}
