import type { RuleId } from '../../contract/rule.ts';
import { type Deployment, startHostAlone, startReference } from '../../api/deployment.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { hasHostFault } from '../../variants/extension-host/faults.ts';
import { faultOf } from '../../variants/faults.ts';

/** So many rules with a fault, of every area by turns. */
export function sampleOf(count: number): readonly RuleId[] {
  const able = catalogue.all.filter(({ level }) => level !== 'observe').map(({ id }) => id);
  const byArea = [...Map.groupBy(able, (id) => id.split('.')[0]).values()];
  const rounds = Array.from({ length: able.length }, (_round, index) =>
    byArea.flatMap((ids) => ids[(index * 7) % ids.length] ?? []),
  );
  return [...new Set(rounds.flat())].slice(0, count);
}

/** A server, or a host, that breaks that rule. */
export function startFaulty(rule: RuleId): Promise<Deployment> {
  return hasHostFault(rule) ? startHostAlone([rule]) : startReference({ faults: [faultOf(rule)] });
}
