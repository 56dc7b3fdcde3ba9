import type { EngineEnd } from '../engine.ts';
import { secondsTogether, type FoundViolation } from '../judging/violations.ts';

/** Each rule once: how often all workers saw it broken, and the earliest exchange that any of them has to show. */
export function violationsTogether(found: readonly FoundViolation[]): readonly FoundViolation[] {
  return [...Map.groupBy(found, ({ rule }) => rule).values()]
    .flatMap((same) => {
      const [first] = same.toSorted((one, other) => timeOf(one) - timeOf(other));
      const count = same.reduce((sum, one) => sum + one.count, 0);
      return first === undefined ? [] : [{ ...first, count, bySecond: secondsTogether(same) }];
    })
    .toSorted((one, other) => one.rule.localeCompare(other.rule));
}

function timeOf({ exchange }: FoundViolation): number {
  return exchange?.endedAt ?? Infinity;
}

/** Remarks of all workers: a number that one begins with counts something, and is added up; others are said once. */
export function remarksTogether(all: readonly EngineEnd['remarks'][]): readonly string[] {
  const sums = new Map<string, number>();
  for (const remark of all.flat()) {
    const { number = '', rest = remark } = /^(?<number>\d+)(?<rest> .*)$/s.exec(remark)?.groups ?? {};
    sums.set(rest, (sums.get(rest) ?? 0) + Number(number));
  }
  return [...sums].map(([rest, sum]) => (sum === 0 ? rest : `${sum}${rest}`));
}
