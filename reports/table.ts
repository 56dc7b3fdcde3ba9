import { areas } from '../contract/areas.ts';
import { classes, classNames } from '../contract/classes.ts';
import type { Report, RuleResult } from '../contract/schemas/report.ts';
import { wordOf } from './assessment.ts';
import { classWords } from './classes.ts';
import { belowEachOther, type Block, code, type Document, ruleName, strong, type Text, paragraph } from './document.ts';
import { pageText } from './page/page.ts';
import { counted, oneLine } from './text.ts';

/** One run of several that are held beside each other. */
export interface Candidate {
  readonly report: Report;
  /** Version of the implementation, where somebody has said it. */
  readonly version?: string;
  /** Id of the key that signed it. */
  readonly signedBy?: string;
}

interface Column extends Candidate {
  readonly title: string;
  readonly byRule: ReadonlyMap<string, RuleResult>;
}

const shortKey = 'sha256:'.length + 12;
const unasked = '–';

/** One page that asks nothing of any network: implementations and versions beside each other, in the order in which they are given. */
export function writeTable(candidates: readonly Candidate[]): string {
  const document = tableOf(candidates);
  return pageText(document.title, [document]);
}

/** Runs of one implementation that stand beside each other; of more, the newest stands for all, and the rest is told over time. */
const mostBeside = 6;

function tableOf(candidates: readonly Candidate[]): Document {
  const all = columnsOf(candidates);
  const runsOf = Map.groupBy(all, ({ report }) => report.implementation);
  const columns = all.filter((column) => {
    const runs = runsOf.get(column.report.implementation) ?? [];
    return runs.length <= mostBeside || column === inTime(runs).at(-1);
  });
  return {
    title: `${counted(all.length, 'run')} beside each other`,
    verdict: [
      'Which classes are kept, how the areas and rules stand, and what each does where the documents are silent. There is no score.',
    ],
    about: [...runsOf]
      .filter(([, runs]) => runs.length > mostBeside)
      .map(([name, runs]) =>
        paragraph(`Of ${runs.length} runs of ${name} the newest stands here; how it came to that is told over time.`),
      ),
    body: [
      section('Runs', 'runs', runTable(columns)),
      section('Classes', 'classes', classTable(columns), classMeanings),
      section('Areas', 'areas', areaTable(columns)),
      ...differing(columns),
      ...silenceBlocks(columns),
      ...trendBlocks(runsOf),
    ],
  };
}

/** Two of one name are told by version, or by the day and the number of the run. */
function columnsOf(candidates: readonly Candidate[]): readonly Column[] {
  const nameOf = ({ report, version }: Candidate): string =>
    version === undefined ? report.implementation : `${report.implementation} ${version}`;
  const names = candidates.map(nameOf);
  return candidates.map((one, index) => {
    const name = nameOf(one);
    const before = names.slice(0, index).filter((other) => other === name).length;
    const isShared = names.filter((other) => other === name).length > 1;
    return {
      ...one,
      title: isShared ? `${name}, ${one.report.startedAt.slice(0, 10)} (${before + 1})` : name,
      byRule: new Map(one.report.rules.map((rule) => [rule.id, rule])),
    };
  });
}

function section(title: string, id: string, ...blocks: readonly Block[]): Block {
  return { kind: 'section', title, id, blocks };
}

function across(
  first: string,
  columns: readonly Column[],
  rows: readonly (readonly [Text, ...Text[]])[],
  caption?: string,
): Extract<Block, { readonly kind: 'table' }> {
  const titles = [first, ...columns.map(({ title }) => title)];
  return { kind: 'table', titles, rows, numbers: [1, columns.length], ...(caption !== undefined && { caption }) };
}

function runTable(columns: readonly Column[]): Block {
  const facts: readonly (readonly [string, (column: Column) => Text])[] = [
    ['began', ({ report }) => report.startedAt.slice(0, 16).replace('T', ' ')],
    ['suite', ({ report }) => report.suiteVersion],
    ['seed', ({ report }) => String(report.seed)],
    ['exit code', ({ report }) => strong(String(report.exitCode))],
    ['meaning', ({ report }) => report.meaning],
    ['known to fail', ({ report }) => counted(report.known.filter(({ status }) => status === 'fails').length, 'rule')],
    ['signed by', ({ signedBy }) => (signedBy === undefined ? 'nobody' : code(signedBy.slice(0, shortKey)))],
  ];
  return across(
    '',
    columns,
    facts.map(([name, of]) => [name, ...columns.map(of)]),
  );
}

const classMeanings: Block = {
  kind: 'facts',
  rows: classNames.map((name) => [name, classes[name].says]),
};

function classTable(columns: readonly Column[]): Block {
  const cellOf = ({ report }: Column, name: string): Text => {
    const found = report.classes?.find((one) => one.name === name);
    if (found === undefined || found.state === 'not-judged') return unasked;
    const { state, kept, rules, violated, claimed } = found;
    const left = rules - kept - violated;
    const parts = [
      `${kept} of ${rules}`,
      ...(violated > 0 ? [`${violated} violated`] : []),
      ...(state === 'partly' && left > 0 ? [`${left} left open`] : []),
    ];
    const counts = ` ${parts.join(', ')}`;
    const word = state === 'kept' ? strong(classWords[state]) : classWords[state];
    return [word, state === 'not-offered' ? '' : counts, claimed ? ' (claimed)' : ''];
  };
  return across(
    'class',
    columns,
    classNames.map((name) => [code(name), ...columns.map((column) => cellOf(column, name))]),
  );
}

function areaTable(columns: readonly Column[]): Block {
  const cellOf = ({ report }: Column, name: string): Text => {
    const found = report.areas.find(({ area }) => area === name);
    if (found === undefined || found['not-selected'] === found.rules) return unasked;
    const parts = (['fail', 'warn', 'broken', 'blocked', 'not-run'] as const).filter((state) => found[state] > 0);
    return [`${found.pass} passed`, ...parts.map((state) => [', ', strong(`${found[state]} ${wordOf(state)}`)])];
  };
  const shown = areas.filter((area) => columns.some((column) => cellOf(column, area) !== unasked));
  return across(
    'area',
    columns,
    shown.map((area) => [area, ...columns.map((column) => cellOf(column, area))]),
  );
}

/** First, in words, what is violated anywhere; then what does not stand alike wherever it was selected. */
function differing(columns: readonly Column[]): readonly Block[] {
  const ids = [...new Set(columns.flatMap(({ report }) => report.rules.map(({ id }) => id)))];
  const rows = ids.flatMap((id) => {
    const states = columns.map(({ byRule }) => byRule.get(id)?.state ?? 'not-selected');
    const judged = new Set(states.filter((state) => state !== 'not-selected' && state !== 'observed'));
    if (judged.size < 2 && !judged.has('fail')) return [];
    const isViolated = judged.has('fail') || judged.has('warn');
    const name = isViolated ? belowEachOther([ruleName(id), statementOf(id, columns)]) : ruleName(id);
    return [{ isViolated, row: [name, ...states.map(stateCell)] as const }];
  });
  if (rows.length === 0) return [];
  const tables = ([true, false] as const).flatMap((which) => {
    const some = rows.filter(({ isViolated }) => isViolated === which).map(({ row }) => row);
    const caption = which ? 'Violated by some' : 'Violated by none, and not judged alike';
    return some.length === 0 ? [] : [across('rule', columns, some, caption)];
  });
  return [section(`Rules that are violated, or do not stand alike: ${rows.length}`, 'rules', ...tables)];
}

function statementOf(id: string, columns: readonly Column[]): string {
  return columns.flatMap(({ byRule }) => byRule.get(id)?.statement ?? [])[0] ?? '';
}

function stateCell(state: RuleResult['state']): Text {
  if (state === 'not-selected') return unasked;
  return state === 'pass' ? wordOf(state) : strong(wordOf(state));
}

/** What was seen where the documents leave a choice: first where they differ. */
function silenceBlocks(columns: readonly Column[]): readonly Block[] {
  const seen = new Map<string, { readonly rule: string; readonly what: string }>();
  for (const { report } of columns)
    for (const { id, level, observations } of report.rules)
      if (level === 'observe') for (const { what } of observations) seen.set(`${id} ${what}`, { rule: id, what });
  const valueOf = ({ byRule }: Column, rule: string, what: string): string | undefined => {
    const values = byRule.get(rule)?.observations.filter((one) => one.what === what) ?? [];
    return values.length === 0 ? undefined : values.map((one) => oneLine(one.seen)).join('; ');
  };
  const rows = [...seen.values()].map(({ rule, what }) => {
    const values = columns.map((column) => valueOf(column, rule, what));
    const isAlike = new Set(values.filter((value) => value !== undefined)).size < 2;
    const cells = values.map((value) => (value === undefined ? unasked : code(value)));
    return { isAlike, row: [[ruleName(rule), ': ', what], ...cells] as readonly [Text, ...Text[]] };
  });
  if (rows.length === 0) return [];
  const [alike, different] = [rows.filter(({ isAlike }) => isAlike), rows.filter(({ isAlike }) => !isAlike)];
  const tableOf = (some: typeof rows, caption: string): readonly Block[] =>
    some.length === 0
      ? []
      : [
          across(
            'silence',
            columns,
            some.map(({ row }) => row),
            caption,
          ),
        ];
  const blocks = [...tableOf(different, 'Seen otherwise'), ...tableOf(alike, 'Seen alike')];
  return [{ kind: 'section', title: 'Where the documents are silent', id: 'silences', blocks, room: 2 }];
}

function inTime(runs: readonly Column[]): readonly Column[] {
  return runs.toSorted((one, other) => (one.report.startedAt < other.report.startedAt ? -1 : 1));
}

/** Implementations of which there are several runs, over time. */
function trendBlocks(runsOf: ReadonlyMap<string, readonly Column[]>): readonly Block[] {
  const series = [...runsOf].filter(([, runs]) => runs.length > 1);
  if (series.length === 0) return [];
  const blocks = series.map(([title, all]): Block => {
    const runs = inTime(all);
    return { kind: 'section', title, blocks: [trendOf(runs), seriesTable(runs), ...changingRules(runs)] };
  });
  return [section('Over time', 'trends', ...blocks)];
}

function trendOf(runs: readonly Column[]): Block {
  return {
    kind: 'drawing',
    svg: trendDrawing(runs),
    says: 'Rules that passed, failed and were left open in each run, in the order of time.',
  };
}

function seriesTable(runs: readonly Column[]): Block {
  return {
    kind: 'table',
    titles: ['began', 'version', 'suite', 'passed', 'failed', 'warned', 'classes kept'],
    rows: runs.map(({ report, version }) => [
      report.startedAt,
      version ?? unasked,
      report.suiteVersion,
      { state: 'pass', count: report.totals.pass },
      { state: 'fail', count: report.totals.fail },
      { state: 'warn', count: report.totals.warn },
      (report.classes ?? [])
        .filter(({ state }) => state === 'kept')
        .map(({ name }) => name)
        .join(', ') || 'none',
    ]),
  };
}

/** Stretches of alike verdicts that a cell tells, the newest. */
const mostStretches = 6;

/** Rules that did not stand alike in all runs that asked for them: what goes to and fro comes first. */
function changingRules(runs: readonly Column[]): readonly Block[] {
  const ids = [...new Set(runs.flatMap(({ byRule }) => [...byRule.keys()]))];
  const rows = ids.flatMap((id) => {
    const stretches = stretchesOf(id, runs);
    if (stretches.length < 2) return [];
    const failed = stretches.filter(({ state }) => state === 'fail').reduce((sum, { times }) => sum + times, 0);
    const told = stretches.slice(-mostStretches).map(({ state, times }) => `${times} × ${wordOf(state)}`);
    const text = `${stretches.length > mostStretches ? '…, ' : ''}${told.join(', ')}`;
    return [{ id, changes: stretches.length - 1, failed, text, since: stretches.at(-1)?.since ?? '' }];
  });
  if (rows.length === 0) return [];
  return [
    {
      kind: 'table',
      caption: 'Rules that changed from run to run, oldest run first',
      titles: ['rule', 'changes', 'runs that failed', 'how it stood', 'as it is now since'],
      rows: rows
        .toSorted((one, other) => other.changes - one.changes || other.failed - one.failed)
        .map(({ id, changes, failed, text, since }) => [ruleName(id), String(changes), String(failed), text, since]),
    },
  ];
}

interface Stretch {
  readonly state: RuleResult['state'];
  readonly times: number;
  /** When its first run began. */
  readonly since: string;
}

function stretchesOf(id: string, runs: readonly Column[]): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (const { byRule, report } of runs) {
    const state = byRule.get(id)?.state ?? 'not-selected';
    if (state === 'not-selected' || state === 'observed') continue;
    const last = stretches.at(-1);
    if (last?.state === state) stretches[stretches.length - 1] = { ...last, times: last.times + 1 };
    else stretches.push({ state, times: 1, since: report.startedAt.slice(0, 10) });
  }
  return stretches;
}

const drawn = { width: 960, height: 120, top: 10, base: 96, gap: 24, widest: 90, label: 84 } as const;

/** A column a run, from its bottom: passed, failed, left open, as shares of what was selected; nothing in it was sent by a target. */
function trendDrawing(runs: readonly Column[]): string {
  const { width, height, top, base, widest } = drawn;
  const step = Math.min(widest + drawn.gap, width / runs.length);
  const gap = Math.min(drawn.gap, step / 4);
  const labelled = Math.ceil(drawn.label / step);
  const columns = runs.map(({ report: { totals } }, index) => {
    const selected = Math.max(1, totals.rules - totals['not-selected']);
    const parts = [
      ['#2da44e', totals.pass + totals.observed],
      ['#cf222e', totals.fail],
      ['#bf8700', totals.warn],
      ['#8c959f', totals.blocked + totals.broken + totals['not-run']],
    ] as const;
    let from = base;
    const bars = parts.map(([colour, count]) => {
      // what is there is seen
      const tall = count === 0 ? 0 : Math.max(2, ((base - top) * count) / selected);
      from -= tall;
      return `<rect x="${(index * step + gap / 2).toFixed(1)}" y="${from.toFixed(1)}" width="${(step - gap).toFixed(1)}" height="${tall.toFixed(1)}" fill="${colour}"/>`;
    });
    if (index % labelled !== 0) return bars.join('');
    const label = `<text x="${(index * step + step / 2).toFixed(1)}" y="${base + 16}" text-anchor="middle" font-size="12" font-family="system-ui, sans-serif" fill="#6e7781">${index + 1}: ${totals.fail} failed</text>`;
    return `${bars.join('')}${label}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${columns.join('\n')}</svg>\n`;
}
