import { combinationInWords, combinationsIn, possibleCodes } from './conditions.ts';
import { profileKeys } from './profile-keys.ts';
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

/** Answers that the documents leave no room for: they count as none that is missing. */
interface Excluded {
  /** Names of the cells. */
  readonly cells: RegExp;
  readonly why: string;
}

const reads = '(?:instanceShort|instanceLong|page)';
const writes = '(?:create|put|merge|operations|delete|multiCreate|promote|demote|lockTake|lockFree)';
const inSpace = `(?:${reads}|${writes}|batch|openApiDynamic)`;
const done = '(?:200|201|204|304|success)';
const compared = '(?:409|412)';
const ofCollection = '(?:collection(?:Read|Write|Upload|Chunk|Download|Delete|Directory))';
const ofAdministrator = '(?:registerEndpoint|registerTrusted|registerExtension|acquireKeys)';
const ofTasks = '(?:taskStatus|taskProgress)';
const withoutRole = '(?:outsider|noRole|administrator)';
const withRole = '(?:editor|secondEditor|spaceAdministrator)';

/** The first that names a cell is the one. */
const excluded: readonly Excluded[] = [
  {
    cells: /^grant (?:200|refusal) (?!nobody|stranger)/,
    why: 'a grant comes with the credential of a client',
  },
  { cells: /^grant 200 nobody$/, why: 'a grant needs the credential of a client' },
  {
    cells: /^(?!grant )\S+ (?!401 )(?:\d+|success|refusal) nobody$/,
    why: 'without a credential there is 401',
  },
  { cells: / 401 (?!nobody$|stranger$)/, why: 'with a 401 nobody is known' },
  { cells: /^(?!bulk|acquireKeys)\S+ (?:\d+|success|refusal) key$/, why: 'no key opens it' },
  {
    cells: /^bulk\S+ (?!401 )(?:\d+|success|refusal) (?!key$)/,
    why: 'nothing but the administration key opens it',
  },
  {
    cells: new RegExp(`^${inSpace} (?:${done}|${compared}|500|refusal) ${withoutRole}$`),
    why: 'a role in the space is needed',
  },
  {
    cells: new RegExp(`^${writes} (?:${done}|${compared}|refusal) reader$`),
    why: 'the role allows GET only',
  },
  { cells: new RegExp(`^(?:${reads}|openApiDynamic) 403 reader$`), why: 'the role allows GET' },
  { cells: new RegExp(`^${inSpace} 403 ${withRole}$`), why: 'the role allows every method' },
  {
    cells: new RegExp(`^${ofCollection} (?:${done}|refusal) (?!administrator$|stranger$)`),
    why: 'a Collection Administrator is needed',
  },
  {
    cells: new RegExp(`^(?:${ofCollection}|register\\w+) 403 administrator$`),
    why: 'it is what the administrator may',
  },
  {
    cells: new RegExp(`^${ofAdministrator} (?:${done}|refusal) (?!administrator$|stranger$|key$)`),
    why: 'a Collection Administrator is needed',
  },
  { cells: /^bulk\S+ 403 key$/, why: 'the key knows no role' },
  {
    cells: new RegExp(`^${ofTasks} (?:success|refusal) (?!stranger$|editor$|secondEditor$)`),
    why: 'a task reports with the token of its call',
  },
];
