import type { RunHeader } from '../judge/outcome.ts';
import type { Assessment, Standing } from './assessment.ts';
import type { Run } from './run.ts';
import { oneLine } from './text.ts';

/** Those that count: all of them, or where the run is held against an earlier report those whose verdict is another one there. */
export function changedSince({ gate }: RunHeader, standings: readonly Standing[]): readonly Standing[] {
  const states = gate?.since?.states;
  return states === undefined ? standings : standings.filter(({ rule, state }) => states[rule.id] !== state);
}

/** Says that only what changed counts, where that is so, and how much that is. */
export function changeWords({ header }: Run, { standings }: Assessment): string[] {
  const since = header.gate?.since;
  if (since === undefined) return [];
  const judged = standings.filter(({ outcome }) => outcome !== undefined);
  return [
    `only what changed since ${oneLine(since.report)} counts, ${changedSince(header, judged).length} of ${judged.length} verdicts`,
  ];
}
