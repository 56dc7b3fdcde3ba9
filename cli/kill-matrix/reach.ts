import type { RuleId } from '../../contract/rule.ts';
import { findMistake } from '../../variants/batches/batches.ts';
import { faultOf } from '../../variants/faults.ts';
import { methodsBrokenBy, watches } from '../../variants/breaks.ts';
import { startReference } from '../../api/deployment.ts';
import { inTurns, outcomesOn } from './judge-variant.ts';

/** Methods of the areas of the reference server that the case of a rule sets in motion, by rule. */
export type Reach = readonly (readonly [RuleId, readonly string[]])[];

/** Judges each rule by itself on a server that notes what is called. What is called before the first case is reached by all of them. */
export async function reachOf(rules: readonly RuleId[], seed: number, runs: number): Promise<Reach> {
  const called = new Set<string>();
  await using deployment = await startReference({ faults: [watches((method) => called.add(method))] });
  const atStart = [...called];
  const reach: [RuleId, readonly string[]][] = [];
  for (const rule of inTurns(deployment, rules).flat()) {
    called.clear();
    await outcomesOn(deployment, [rule], { seed, runs, width: 1 });
    reach.push([rule, [...new Set([...atStart, ...called])]]);
  }
  return reach;
}

/** Methods of areas that a fault or a mistake replaces. */
export function replacedBy(fault: string): readonly string[] {
  return methodsBrokenBy(findMistake(fault)?.variant ?? faultOf(fault));
}
