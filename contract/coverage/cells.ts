import { combinationInWords, combinationsIn, possibleCodes } from './conditions.ts';
import { profileKeys } from './profile-keys.ts';
import { excluded } from './excluded.ts';
import { callers, coveredRoutes, type CoveredRoute, type CoveredStatus } from './routes.ts';
import { untried } from './untried.ts';

/** What a run may reach, by what it is about. */
export const cellKinds = ['answers', 'media', 'headers', 'keys', 'pairs'] as const;
export type CellKind = (typeof cellKinds)[number];

/** Something that a request can reach, or a key that a profile can have; its name is what facts tell of it. */
export interface Cell {
  readonly kind: CellKind;
  readonly name: string;
}

/** What requests reached; as `Reached` of the judge. */
interface ReachedFacts {
  readonly facts: readonly string[];
  readonly conditions: readonly string[];
  readonly keys?: readonly string[];
}

const routeList: readonly (readonly [string, CoveredRoute])[] = Object.entries<CoveredRoute>(coveredRoutes);

/** Everything that there is to reach. */
export function allCells(): readonly Cell[] {
  const of = (kind: CellKind, names: readonly string[]): readonly Cell[] => names.map((name) => ({ kind, name }));
  return [
    ...routeList.flatMap(([route, { statuses }]) =>
      of(
        'answers',
        statuses.flatMap((status) => callers.map((who) => `${route} ${status} ${who}`)),
      ),
    ),
    ...routeList.flatMap(([route, { sends }]) =>
      of(
        'media',
        sends.map((kind) => `${route} sends ${kind}`),
      ),
    ),
    ...routeList.flatMap(([route, { asks, gives }]) => [
      ...of(
        'headers',
        asks.flatMap((name) => [`${route} with ${name}`, `${route} without ${name}`]),
      ),
      ...of(
        'headers',
        gives.map((name) => `${route} gives ${name}`),
      ),
    ]),
    ...of('keys', profileKeys().map(keyCell)),
    ...of('pairs', pairsOf(possibleCodes())),
  ];
}

/** Names of cells that facts tell of, and others. */
export function cellsOf({ facts, conditions, keys = [] }: ReachedFacts): ReadonlySet<string> {
  return new Set([...facts.map(cellOfFact), ...keys.map(keyCell), ...pairsOf(conditions)]);
}

export function keyCell(key: string): string {
  return `profile ${key}`;
}

function pairsOf(codes: readonly string[]): readonly string[] {
  return combinationsIn(codes, 2).map((pair) => combinationInWords(pair, 2));
}

/** A code that the documents do not show stands for the kind of answer that it is. */
function cellOfFact(fact: string): string {
  const [route = '', code = '', who = ''] = fact.split(' ');
  if (!/^\d+$/.test(code)) return fact;
  const { statuses = [] } = routeList.find(([name]) => name === route)?.[1] ?? {};
  return `${route} ${statusOf(Number(code), statuses)} ${who}`;
}

function statusOf(status: number, documented: readonly CoveredStatus[]): CoveredStatus {
  if (documented.includes(status)) return status;
  if (status < 300) return 'success';
  return status >= 400 && status < 500 ? 'refusal' : status;
}

/** Why a cell is empty that nothing reaches. */
interface Emptiness {
  readonly why: string;
  /** The documents leave no room for it. */
  readonly isExcluded: boolean;
}

/** Undefined for what is there to be reached. */
export function emptinessOf(cell: string): Emptiness | undefined {
  const known = untriedCells.get(cell);
  if (known !== undefined) return { why: known, isExcluded: false };
  const law = excluded.find(({ cells }) => cells.test(cell));
  return law && { why: law.why, isExcluded: true };
}

const untriedCells: ReadonlyMap<string, string> = new Map(
  untried.flatMap(({ why, cells }) => cells.flatMap(spelledOut).map((cell) => [cell, why] as const)),
);

/** The names that a name with `a|b` in its words stands for. */
function spelledOut(cells: string): readonly string[] {
  return cells
    .split(' ')
    .reduce<readonly string[]>(
      (names, word) =>
        names.flatMap((name) => word.split('|').map((choice) => (name === '' ? choice : `${name} ${choice}`))),
      [''],
    );
}
