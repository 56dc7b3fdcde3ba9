import { type Circumstance, circumstances } from './circumstances.ts';
import { isNoticed } from './fate.ts';
import { diffOf, type Mutant } from './mutant.ts';
import type { Ground } from './places.ts';
import { lotOf } from './sample.ts';
import type { Surveyed } from './survey.ts';
import { MutantTrial, ofEach, type Row, type Trial } from './try-service.ts';

/**
 * Tries mutants that the nearest cases notice where they are on in one circumstance alone, drawn by lot of those in which a case comes to their
 * place: what is noticed at large and not there is a circumstance that no case looks at.
 */
export function tryUnder(
  mutants: readonly Mutant[],
  surveyed: ReadonlyMap<Ground, Surveyed>,
  trial: Trial,
  ended: (row: Row) => void,
): Promise<unknown> {
  return ofEach(mutants, surveyed, trial, async (mutant, known) => {
    const circumstance = drawnFrom(known.reach.circumstancesOf(mutant), mutant, trial.seed);
    if (circumstance === undefined || trial.isExcused(mutant)) return;
    if (!(await new MutantTrial(mutant, known, trial).isFoundNear()) || !trial.hasTime()) return;
    ended(await new MutantTrial(mutant, known, trial, circumstance).run());
  });
}

/** How many were noticed in each circumstance, and what was not. */
export function underLinesOf(rows: readonly Row[]): readonly string[] {
  const unseen = rows.filter(({ fate }) => !isNoticed(fate));
  return [
    ...circumstances.map((name) => {
      const some = rows.filter(({ circumstance }) => circumstance === name);
      return `${some.filter(({ fate }) => isNoticed(fate)).length} of ${some.length} noticed ${name}`;
    }),
    `${rows.length - unseen.length} of ${rows.length} noticed in one circumstance`,
    ...unseen.map(
      ({ mutant, circumstance, fate, cases, by }) =>
        `${circumstance} (${fate}, ${cases} cases came by): ${diffOf(mutant)}${by.map((line) => `\n  ${line}`).join('')}`,
    ),
  ];
}

function drawnFrom(reached: readonly Circumstance[], mutant: Mutant, seed: number): Circumstance | undefined {
  return reached[Number.parseInt(lotOf(mutant, seed).slice(0, 8), 16) % reached.length];
}
