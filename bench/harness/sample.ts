import type { RuleId } from '../../contract/rule.ts';
import { catalogue } from '../../suites/catalogue.ts';

/** So many rules with a fault, of every area by turns. */
export function sampleOfFaults(count: number): readonly RuleId[] {
  const able = catalogue.all.filter(({ level }) => level !== 'observe').map(({ id }) => id);
  const byArea = [...Map.groupBy(able, (id) => id.split('.')[0]).values()];
  const rounds = Array.from({ length: able.length }, (_round, index) =>
    byArea.flatMap((ids) => ids[(index * 7) % ids.length] ?? []),
  );
  return [...new Set(rounds.flat())].slice(0, count);
}

/** So many of them at most, the same distance apart. */
export function evenly<T>(items: readonly T[], most: number): readonly T[] {
  const step = Math.max(1, items.length / Math.max(1, most));
  return items.filter((_item, index) => Math.floor(index / step) !== Math.floor((index - 1) / step)).slice(0, most);
}
