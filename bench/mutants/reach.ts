import type { RuleId } from '../../contract/rule.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { evenly } from '../harness/sample.ts';
import type { Mutant } from './mutant.ts';
import { bitOf, type Circumstance, circumstances } from './circumstances.ts';
import type { Coverage } from './service.child.ts';

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
  readonly #rulesOf = new Map<string, Map<RuleId, number>>();
  readonly #breadth: ReadonlyMap<RuleId, number>;

  constructor(coverages: readonly Coverage[]) {
    this.#loading = new Set(coverages.flatMap(({ loading }) => loading));
    this.#start = new Set(coverages.flatMap(({ start }) => start));
    const rows = coverages.flatMap(({ byRule }) => byRule);
    this.#breadth = new Map(rows.map(([rule, ids]) => [rule, ids.length]));
    for (const [rule, ids] of rows)
      for (const [id, bits] of ids) this.#rulesOf.set(id, (this.#rulesOf.get(id) ?? new Map()).set(rule, bits));
  }

  /**
   * What runs at loading or at the start is met by every case. Of what runs at the start some of those that do not come to its place stand for
   * all of them; who uses what is made at loading does not show.
   */
  of({ id, area }: Pick<Mutant, 'id' | 'area'>): Reached {
    const atLoading = this.#loading.has(id);
    const atStart = this.#start.has(id);
    const direct = new Set(this.#rulesOf.get(id)?.keys());
    const isOwn = isOfArea(area);
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
    return { atLoading, atStart, rules: this.#ranked(met, area, direct) };
  }

  /** Rules whose case comes to its place in that circumstance. */
  under(circumstance: Circumstance, { id, area }: Pick<Mutant, 'id' | 'area'>): Reached {
    const direct = [...(this.#rulesOf.get(id) ?? [])].filter(([, bits]) => (bits & bitOf(circumstance)) !== 0);
    const rules = direct.map(([rule]) => rule);
    return { atLoading: false, atStart: false, rules: this.#ranked(rules, area, new Set(rules)) };
  }

  /** Circumstances in which any case comes to its place. */
  circumstancesOf(mutant: Pick<Mutant, 'id' | 'area'>): readonly Circumstance[] {
    return circumstances.filter((circumstance) => this.under(circumstance, mutant).rules.length > 0);
  }

  #ranked(rules: readonly RuleId[], area: string, direct: ReadonlySet<RuleId>): readonly RuleId[] {
    const isOwn = isOfArea(area);
    const rank = (rule: RuleId): readonly number[] => [
      isOwn(rule) ? 0 : 1,
      direct.has(rule) ? 0 : 1,
      this.#breadth.get(rule) ?? 0,
    ];
    return rules.toSorted((one, other) => compare(rank(one), rank(other)));
  }
}

function isOfArea(area: string): (rule: RuleId) => boolean {
  return (rule) => catalogue.get(rule).area === area;
}

function compare(one: readonly number[], other: readonly number[]): number {
  return one.map((value, index) => value - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
