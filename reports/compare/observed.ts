import type { RuleResult } from '../../contract/schemas/report.ts';
import { isByChance, settled } from './settled.ts';

/** What one implementation does at one place where the documents are silent. */
export interface ObservedAnswer {
  /** Key of the profile that binds the silence, else the observation in words. */
  readonly name: string;
  /** Everything that was seen there, each once, sorted. */
  readonly seen: readonly string[];
}

/** What a rule observed, by name; nothing in it depends on the run. */
export function observedBy({ observations }: Pick<RuleResult, 'observations'>): readonly ObservedAnswer[] {
  const lasting = observations
    .filter(({ what }) => !isByChance(what))
    .map(({ what, seen, key }) => ({ name: nameOf(key, what), seen: settled(seen) }));
  const byName = Map.groupBy(lasting, ({ name }) => name);
  return [...byName]
    .map(([name, answers]) => ({ name, seen: [...new Set(answers.map(({ seen }) => seen))].toSorted() }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Several observations may be bound by one key; the words tell them apart. */
function nameOf(key: string | undefined, what: string): string {
  return key === undefined ? settled(what) : `${key}: ${settled(what)}`;
}
