import { array, nat, sample } from 'fast-check';

/** Numbers that follow from a seed, and what is chosen by them. */
export class Dice {
  readonly #numbers: readonly number[];
  #next = 0;

  constructor(seed: number) {
    const many = array(nat({ max: 2 ** 30 }), { minLength: 500, maxLength: 500 });
    this.#numbers = sample(many, { seed, numRuns: 1 })[0] ?? [];
  }

  below(limit: number): number {
    this.#next += 1;
    return (this.#numbers[this.#next % this.#numbers.length] ?? 0) % limit;
  }

  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0];
  }

  /** Some of the values, each at most once, in any order. */
  some<T>(values: readonly T[], count: number): readonly T[] {
    const left = [...values];
    return Array.from({ length: Math.min(count, left.length) }, () => left.splice(this.below(left.length), 1)).flat();
  }

  /** Those of all lists, one after the other in any order, those of each in their own. */
  mingled<T>(lists: readonly (readonly T[])[]): readonly T[] {
    const left = lists.map((list) => [...list]);
    const all: T[] = [];
    for (;;) {
      const open = left.filter(({ length }) => length > 0);
      const next = open[this.below(Math.max(1, open.length))]?.splice(0, 1) ?? [];
      if (next.length === 0) return all;
      all.push(...next);
    }
  }
}
