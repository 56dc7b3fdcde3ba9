import type { Standing } from './assessment.ts';
import { oneLine } from './text.ts';

/** Rules that ended the same way for the same reason. */
export interface Group {
  readonly reason: string;
  readonly rules: readonly string[];
}

/** Groups standings by their reason, the largest group first. */
export function groupedByReason(standings: readonly Standing[]): Group[] {
  const groups = Map.groupBy(standings, ({ outcome }) => oneLine(outcome?.reason ?? 'no reason recorded'));
  return [...groups]
    .map(([reason, members]) => ({ reason, rules: members.map(({ rule }) => rule.id) }))
    .toSorted((one, other) => other.rules.length - one.rules.length);
}

/** The remarks of every rule, and what had to be sent again. */
export function remarksOf(standings: readonly Standing[]): { rule: string; text: string }[] {
  return standings.flatMap(({ rule, outcome }) =>
    [...(outcome?.remarks ?? []), ...(outcome?.retries ?? []).map((retry) => `sent again: ${retry}`)].map((remark) => ({
      rule: rule.id,
      text: oneLine(remark),
    })),
  );
}
