import { allCells, type Cell, type CellKind, cellKinds, cellsOf, emptinessOf } from '../../contract/coverage/cells.ts';
import { combinationsIn, possibleCodes } from '../../contract/coverage/conditions.ts';
import { type Assessment, isJudged, type Standing } from '../assessment.ts';
import reach from '../published/reference-server/reach.json' with { type: 'json' };
import type { Run } from '../run.ts';

/** What became of a cell: `reachable` is what rules reach at the bundled pair; `never` what none does; the documents leave no room for the rest. */
export type CellState = 'reached' | 'reachable' | 'never' | 'excluded';

export interface FoundCell extends Cell {
  readonly state: CellState;
  /** Why it is not reached. */
  readonly why?: string;
}

/** How many cells of a kind are in each state. */
export type KindCounts = { readonly kind: CellKind } & Readonly<Record<CellState, number>>;

/** What a run reached of the documents. */
export interface Coverage {
  readonly cells: readonly FoundCell[];
  readonly kinds: readonly KindCounts[];
  /** Combinations of three conditions, of requests about SoftTypes. */
  readonly triples: { readonly reached: number; readonly possible: number };
}

/** Rules that reach a cell at the bundled pair: some that need least; none of a key, which the profile of the pair has. */
export const rulesOfCells: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>(reach.cells),
);
const told = new WeakMap<Run, Coverage>();

/** Undefined where the record does not tell what was reached, and where an extension host alone was judged: what is asked of a service is not asked of it. */
export function coverageOf(run: Run, { standings }: Assessment): Coverage | undefined {
  const reached = run.footer?.reached;
  const sides = new Set(standings.filter(({ state }) => state !== 'not-selected').map(({ rule }) => rule.side));
  const isAboutHostAlone = sides.has('extension') && !sides.has('service');
  if (reached === undefined || isAboutHostAlone) return undefined;
  const known = told.get(run);
  if (known !== undefined) return known;
  const byRule = new Map<string, Standing>(standings.map((standing) => [standing.rule.id, standing]));
  const coverage = coverageWith(
    cellsOf(reached),
    (rules) => whyUnreached(rules.flatMap((rule) => byRule.get(rule) ?? [])),
    combinationsIn(reached.conditions, 3).length,
  );
  told.set(run, coverage);
  return coverage;
}

/** What all rules reach at the bundled pair. */
export function coverageOfRules(): Coverage {
  return coverageWith(new Set(rulesOfCells.keys()), () => '', reach.triples);
}

function coverageWith(
  reached: ReadonlySet<string>,
  whyNot: (rules: readonly string[]) => string,
  triples: number,
): Coverage {
  const cells = allCells().map((cell): FoundCell => {
    if (reached.has(cell.name)) return { ...cell, state: 'reached' };
    const rules = rulesOfCells.get(cell.name);
    if (rules !== undefined) return { ...cell, state: 'reachable', why: whyNot(rules) };
    const { why, isExcluded } = emptinessOf(cell.name) ?? unexplained;
    return { ...cell, state: isExcluded ? 'excluded' : 'never', why };
  });
  const count = (kind: CellKind, state: CellState): number =>
    cells.filter((cell) => cell.kind === kind && cell.state === state).length;
  return {
    cells,
    kinds: cellKinds.map((kind) => ({
      kind,
      reached: count(kind, 'reached'),
      reachable: count(kind, 'reachable'),
      never: count(kind, 'never'),
      excluded: count(kind, 'excluded'),
    })),
    triples: { reached: triples, possible: combinationsIn(possibleCodes(), 3).length },
  };
}

/** Of a cell that nothing reaches and for which contract/coverage has no reason. */
export const unknownReason = 'nobody knows why';

const unexplained = { why: unknownReason, isExcluded: false };

/** Why this run did not reach what these rules do at the bundled pair: what lacks least comes first. */
function whyUnreached(standings: readonly Standing[]): string {
  if (standings.length === 0) return 'this profile leaves it out';
  if (standings.some(({ state }) => isJudged(state))) return 'its rules were judged, and this target took another way';
  const lacking = standings.flatMap(({ outcome }) => (outcome?.missing === undefined ? [] : [outcome.missing]));
  const [least] = lacking.toSorted((one, other) => one.length - other.length);
  if (least !== undefined) return `needs ${least.join(', ')}`;
  if (standings.some(({ state }) => state === 'not-selected')) return 'its rules were not selected';
  return standings.some(({ state }) => state === 'not-run')
    ? 'the run ended before its rules'
    : 'its rules are blocked';
}

/** Cells that are empty for the same reason. */
export interface EmptyCells {
  readonly state: CellState;
  readonly why: string;
  readonly cells: readonly FoundCell[];
}

/** Empty cells that the documents leave room for: first what could be reached, then the rest, the largest group first. */
export function emptyCells({ cells }: Coverage): readonly EmptyCells[] {
  const groupsOf = (state: CellState): readonly EmptyCells[] =>
    [
      ...Map.groupBy(
        cells.filter((cell) => cell.state === state),
        ({ why = '' }) => why,
      ),
    ]
      .map(([why, members]) => ({ state, why, cells: members }))
      .toSorted((one, other) => other.cells.length - one.cells.length);
  return [...groupsOf('reachable'), ...groupsOf('never')];
}
