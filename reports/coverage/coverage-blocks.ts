import { callers, coveredRoutes, type CoveredRoute } from '../../contract/coverage/routes.ts';
import type { Assessment } from '../assessment.ts';
import { type Block, type Cell, sectionOf, type Text, paragraph } from '../document.ts';
import type { Run } from '../run.ts';
import { type Coverage, coverageOf, emptyCells, type FoundCell, type KindCounts } from './coverage.ts';

const title = 'What was reached, and what was never tried';

const kindWords = {
  answers: 'answers (route, status, who asks)',
  media: 'media types of requests',
  headers: 'headers of the documents',
  keys: 'keys of a profile',
  pairs: 'pairs of conditions',
} as const;

const mostExamples = 3;

const routes: readonly (readonly [name: string, route: CoveredRoute])[] = Object.entries<CoveredRoute>(coveredRoutes);

/** A line or two for a terminal. */
export function coverageLines(run: Run, assessment: Assessment): readonly Block[] {
  const coverage = coverageOf(run, assessment);
  if (coverage === undefined) return [];
  const [more] = emptyCells(coverage).filter(({ state }) => state === 'reachable');
  const hint = more === undefined ? '' : ` Most of what rules could reach besides: ${more.why} (${more.cells.length}).`;
  return [paragraph(`${coverageSentence(coverage)}${hint}`, 'terminal')];
}

export function coverageSentence({ kinds, triples }: Coverage): string {
  const words = { answers: 'answers', media: 'media types', headers: 'headers', keys: 'profile keys', pairs: 'pairs' };
  const parts = kinds.map((counts) => `${counts.reached} of ${sizeOf(counts)} ${words[counts.kind]}`);
  return `Reached ${parts.join(', ')}, ${triples.reached} of ${triples.possible} triples of conditions.`;
}

/** A section for Markdown: how much of each kind, and why the rest is empty. */
export function coverageSection(run: Run, assessment: Assessment): readonly Block[] {
  const coverage = coverageOf(run, assessment);
  if (coverage === undefined) return [];
  return [{ kind: 'section', title, blocks: [countTable(coverage), reasonTable(coverage)], only: ['markdown'] }];
}

/** The same on a page, with every route. */
export function coveragePage(run: Run, assessment: Assessment): readonly Block[] {
  const coverage = coverageOf(run, assessment);
  return coverage === undefined
    ? []
    : sectionOf(title, coverageBlocks(coverage), { id: 'coverage', folded: coverageSentence(coverage) });
}

export function coverageBlocks(coverage: Coverage): readonly Block[] {
  return [
    countTable(coverage),
    paragraph(
      [
        'Answers by route and by who asks: what was reached stands plain, ',
        { as: 'faint', text: '(in parentheses)' },
        ' what rules reach elsewhere, ',
        { as: 'faint', text: '·behind a dot' },
        ' what none does. What the documents leave no room for is left out.',
      ],
      'page',
    ),
    routeTable(coverage),
    routeLines(coverage),
    routeNames(),
    reasonTable(coverage),
  ];
}

function sizeOf({ reached, reachable, never }: KindCounts): number {
  return reached + reachable + never;
}

function countTable({ kinds, triples }: Coverage): Block {
  const rest = triples.possible - triples.reached;
  return {
    kind: 'table',
    titles: ['what', 'there are', 'reached', 'within reach', 'never', 'excluded by the documents'],
    rows: [
      ...kinds.map((counts) => [
        kindWords[counts.kind],
        ...[sizeOf(counts), counts.reached, counts.reachable, counts.never, counts.excluded].map(String),
      ]),
      ['triples of conditions', ...[triples.possible, triples.reached].map(String), '-', String(rest), '-'],
    ],
    numbers: [1, 5],
  };
}

function routeTable({ cells }: Coverage): Block {
  const answers = Map.groupBy(
    cells.filter(({ kind }) => kind === 'answers'),
    ({ name }) =>
      name
        .split(' ')
        .filter((_word, index) => index !== 1)
        .join(' '),
  );
  return {
    kind: 'table',
    titles: ['route', ...callers],
    rows: routes.map(([name]) => [
      name,
      ...callers.map((who): Cell => (answers.get(`${name} ${who}`) ?? []).flatMap(statusText)),
    ]),
    only: ['page'],
  };
}

/** The same by status: what was reached of each route. */
function routeLines({ cells }: Coverage): Block {
  const reached = cells.filter(({ kind, state }) => kind === 'answers' && state === 'reached');
  const byRoute = Map.groupBy(reached, ({ name }) => name.split(' ')[0] ?? '');
  return {
    kind: 'table',
    titles: ['route', 'reached'],
    rows: routes.map(([name]) => {
      const byStatus = Map.groupBy(byRoute.get(name) ?? [], (cell) => cell.name.split(' ')[1] ?? '');
      const told = [...byStatus].map(
        ([status, members]) => `${status} ${members.map((cell) => cell.name.split(' ')[2]).join(' ')}`,
      );
      return [name, told.length === 0 ? 'nothing' : told.join('; ')];
    }),
    only: ['terminal'],
  };
}

/** Which route each name stands for. */
function routeNames(): Block {
  return {
    kind: 'folded',
    title: 'routes by their names',
    lines: routes.map(([name, { method, path, boundBy }]) => `${name}  ${method} ${path ?? `as ${boundBy} has it`}`),
  };
}

/** The status of an answer, by what became of it. */
function statusText({ name, state }: FoundCell): readonly Text[] {
  const [, status = ''] = name.split(' ');
  if (state === 'reached') return [`${status} `];
  if (state === 'excluded') return [];
  return [{ as: 'faint', text: state === 'reachable' ? `(${status}) ` : `·${status} ` }];
}

function reasonTable(coverage: Coverage): Block {
  return {
    kind: 'table',
    titles: ['empty', 'why', 'cells', 'such as'],
    rows: emptyCells(coverage).map(({ state, why, cells }) => [
      state === 'reachable' ? 'within reach' : 'never',
      why,
      String(cells.length),
      cells
        .slice(0, mostExamples)
        .map(({ name }) => name)
        .join('; '),
    ]),
  };
}
