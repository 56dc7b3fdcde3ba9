import { type Fate, fates, isNoticed } from './fate.ts';
import type { Mutant } from './mutant.ts';
import { isSaidOfItself, type Review, reviewOf } from './reviewed.ts';
import type { Row } from './try-service.ts';

/** Mutants of one stratum by what became of them. */
export interface Count {
  readonly name: string;
  readonly sampled: number;
  readonly byFate: Readonly<Record<Fate, number>>;
  /** Not noticed, and for a reason. */
  readonly excused: number;
  /** Not noticed, and for none. */
  readonly unexcused: number;
}

export interface Tally {
  readonly strata: readonly Count[];
  readonly total: Count;
  /** Not noticed, and nobody has said why that is right. */
  readonly newSurvivors: readonly Row[];
  /** Said to be unnoticeable, and noticed by now. */
  readonly stale: readonly Row[];
}

export function tallyOf(unsorted: readonly Row[], reviews: readonly Review[]): Tally {
  const rows = unsorted.toSorted((one, other) => Number(one.mutant.id) - Number(other.mutant.id));
  const isReviewed = ({ mutant }: { readonly mutant: Mutant }): boolean => reviewOf(mutant, reviews) !== undefined;
  const names = [...new Set(rows.map(({ mutant }) => mutant.area))].toSorted();
  const count = (name: string, some: readonly Row[]): Count => {
    const silent = some.filter(({ fate }) => !isNoticed(fate));
    const excused = silent.filter(isReviewed).length;
    const of = (fate: Fate): number => some.filter((row) => row.fate === fate).length;
    return {
      name,
      sampled: some.length,
      byFate: Object.fromEntries(fates.map((fate) => [fate, of(fate)])) as Record<Fate, number>,
      excused,
      unexcused: silent.length - excused,
    };
  };
  return {
    strata: names.map((name) =>
      count(
        name,
        rows.filter(({ mutant }) => mutant.area === name),
      ),
    ),
    total: count('all', rows),
    newSurvivors: rows.filter((row) => !isNoticed(row.fate) && !isReviewed(row)),
    stale: rows.filter(({ fate, mutant }) => isNoticed(fate) && isSaidOfItself(mutant, reviews)),
  };
}

/** Shares of the mutants that no reason excuses, in percent: noticed in any way, and by a rule. */
export function ratesOf({ sampled, excused, unexcused, byFate }: Count): {
  readonly noticed: number;
  readonly byRule: number;
} {
  const counted = sampled - excused;
  if (counted === 0) return { noticed: 100, byRule: 100 };
  return { noticed: (100 * (counted - unexcused)) / counted, byRule: (100 * byFate.rule) / counted };
}
