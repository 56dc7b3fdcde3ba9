import { combinationAt, factorSets } from '../../contract/coverage/conditions.ts';

/**
 * Few of these codes that together have every combination of two values that any of them has, apart from those of `covered`: each time the
 * one that adds most, the first of those that add as much. A combination is taken from the first list that has it.
 * The same for the same codes in the same order. What may not stand together is left out by whoever lists the codes, which is why no general
 * tool does this: a table with so many exclusions has few rows, and a choice among rows cannot miss one.
 */
export function coveringCodes(
  lists: readonly (readonly string[])[],
  covered: readonly string[] = [],
): readonly string[] {
  const taken = new Uint8Array(100 ** 2);
  const take = (code: string): void => pairsOf(code).forEach((pair) => (taken[pair] = 1));
  for (const code of covered) take(code);
  return lists.flatMap((codes) => {
    const rows = codes.map(pairsOf);
    const gains = rows.map((row) => row.length);
    const chosen: string[] = [];
    for (;;) {
      const code = codes[bestOf(rows, gains, taken) ?? codes.length];
      if (code === undefined) return chosen;
      take(code);
      chosen.push(code);
    }
  });
}

const sets = factorSets(2);

function pairsOf(code: string): Uint16Array {
  return Uint16Array.from(sets, (places) => combinationAt(code, places));
}

/** What a row adds never grows, so that one whose last gain is no more than the best need not be counted again. */
function bestOf(rows: readonly Uint16Array[], gains: number[], taken: Uint8Array): number | undefined {
  let best: number | undefined;
  let most = 0;
  for (const [index, row] of rows.entries()) {
    if ((gains[index] ?? 0) <= most) continue;
    let gain = 0;
    for (const pair of row) gain += 1 - (taken[pair] ?? 0);
    gains[index] = gain;
    if (gain > most) [best, most] = [index, gain];
  }
  return best;
}
