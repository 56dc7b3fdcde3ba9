import type { RuleId } from '../../contract/rule.ts';
import { catalogue } from '../../suites/catalogue.ts';
import type { Mutant } from './mutant.ts';
import type { Coverage } from './service-task.ts';

/** How the place of a mutant is reached. */
export interface Reached {
  /** While modules are loaded: it has to be on before. */
  readonly atLoading: boolean;
  /** At the start or in the preflight, so that all stands on it. */
  readonly atStart: boolean;
  /** Rules whose case meets it, those of its own area first, and then those that reach little else. */
  readonly rules: readonly RuleId[];
}

/** So many cases of other areas meet what they do not come to the place of: hardly a mutant is seen by the next hundred alone. */
const mostFar = 60;

/** Which rules meet which mutants. */
export class ReachMap {
  readonly #loading: ReadonlySet<string>;
  readonly #start: ReadonlySet<string>;
  readonly #rulesOf = new Map<string, Set<RuleId>>();
  readonly #breadth: ReadonlyMap<RuleId, number>;

  constructor(coverages: readonly Coverage[]) {
    this.#loading = new Set(coverages.flatMap(({ loading }) => loading));
    this.#start = new Set(coverages.flatMap(({ start }) => start));
    const rows = coverages.flatMap(({ byRule }) => byRule);
    this.#breadth = new Map(rows.map(([rule, ids]) => [rule, ids.length]));
    for (const [rule, ids] of rows)
      for (const id of ids) this.#rulesOf.set(id, (this.#rulesOf.get(id) ?? new Set()).add(rule));
  }

  /**
   * What runs at loading or at the start is met by every case. Of what runs at the start some of those that do not come to its place stand for
   * all of them; who uses what is made at loading does not show.
   */
  of({ id, area }: Pick<Mutant, 'id' | 'area'>): Reached {
    const atLoading = this.#loading.has(id);
    const atStart = this.#start.has(id);
    const direct = this.#rulesOf.get(id) ?? new Set<RuleId>();
    const isOwn = (rule: RuleId): boolean => catalogue.get(rule).area === area;
    const others =
      atLoading || atStart
        ? this.#breadth
            .keys()
            .filter((rule) => !direct.has(rule))
            .toArray()
        : [];
    const met = [
      ...direct,
      ...others.filter(isOwn),
      ...evenly(
        others.filter((rule) => !isOwn(rule)),
        mostFar,
      ),
    ];
    const rank = (rule: RuleId): readonly number[] => [
      isOwn(rule) ? 0 : 1,
      direct.has(rule) ? 0 : 1,
      this.#breadth.get(rule) ?? 0,
    ];
    return { atLoading, atStart, rules: met.toSorted((one, other) => compare(rank(one), rank(other))) };
  }
}

/** So many of them, from all over the list. */
function evenly<T>(items: readonly T[], most: number): readonly T[] {
  const step = Math.max(1, items.length / most);
  return items.filter((_item, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

function compare(one: readonly number[], other: readonly number[]): number {
  return one.map((value, index) => value - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
