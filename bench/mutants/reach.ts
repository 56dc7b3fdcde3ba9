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

  /** What runs at loading or at the start is met by every case. */
  of({ id, area }: Pick<Mutant, 'id' | 'area'>): Reached {
    const atLoading = this.#loading.has(id);
    const atStart = this.#start.has(id);
    const direct = this.#rulesOf.get(id) ?? new Set<RuleId>();
    const met = atLoading || atStart ? [...this.#breadth.keys()] : [...direct];
    const rank = (rule: RuleId): readonly number[] => [
      catalogue.get(rule).area === area ? 0 : 1,
      direct.has(rule) ? 0 : 1,
      this.#breadth.get(rule) ?? 0,
    ];
    return { atLoading, atStart, rules: met.toSorted((one, other) => compare(rank(one), rank(other))) };
  }
}

function compare(one: readonly number[], other: readonly number[]): number {
  return one.map((value, index) => value - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
