import type { RuleId } from '../../contract/rule.ts';
import { behaviours, type Behaviours } from '../../reference-server/behaviours.ts';
import type { Fault } from '../../reference-server/faults/fault.ts';
import { faultOf, type FaultId } from '../../reference-server/faults/faults.ts';
import { startReference } from '../check/deployment.ts';
import { inTurns, outcomesOn } from './judge-variant.ts';

/** Behaviours of the reference server that the case of a rule sets in motion, by rule. */
export type Reach = readonly (readonly [RuleId, readonly string[]])[];

/** Judges each rule by itself on a server that notes what is called. What is called before the first case is reached by all of them. */
export async function reachOf(rules: readonly RuleId[], seed: number, runs: number): Promise<Reach> {
  const called = new Set<string>();
  await using deployment = await startReference({ faults: [noting(called)] });
  const atStart = [...called];
  const reach: [RuleId, readonly string[]][] = [];
  for (const rule of inTurns(deployment, rules).flat()) {
    called.clear();
    await outcomesOn(deployment, [rule], { seed, runs, width: 1 });
    reach.push([rule, [...new Set([...atStart, ...called])]]);
  }
  return reach;
}

/** Behaviours that a fault replaces. */
export function replacedBy(fault: FaultId): readonly string[] {
  const wrong = faultOf(fault)(behaviours);
  return namesOf(behaviours).filter((name) => wrong[name] !== behaviours[name]);
}

function noting(called: Set<string>): Fault {
  return (right) =>
    Object.assign(
      {},
      right,
      Object.fromEntries(namesOf(right).map((name) => [name, noted(right[name], () => called.add(name))])),
    );
}

function noted(behaviour: unknown, note: () => void): unknown {
  if (typeof behaviour !== 'function') return behaviour;
  return function (this: unknown, ...parameters: readonly unknown[]): unknown {
    note();
    return Reflect.apply(behaviour, this, parameters);
  };
}

function namesOf(record: Behaviours): readonly (keyof Behaviours)[] {
  return Object.keys(record) as (keyof Behaviours)[];
}
