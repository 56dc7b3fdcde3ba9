import { changedSince, sameSince, sameTitle } from './entries.ts';
import { withoutUser } from '../contract/credentials.ts';
import { areas } from '../contract/areas.ts';
import type { Level } from '../contract/rule.ts';
import { states, type State } from '../contract/schemas/report.ts';
import type { Silence } from '../contract/silences/silence.ts';
import { silences } from '../contract/silences.ts';
import {
  assess,
  type Assessment,
  inState,
  type KnownFailure,
  type Standing,
  stateWords,
  wordOf,
} from './assessment.ts';
import {
  type Block,
  type Choice,
  code,
  type Document,
  type Figure,
  type Group,
  listSection,
  ruleName,
  sectionOf,
  strong,
  tableSection,
  type Text,
  withCode,
  paragraph,
} from './document.ts';
import { classBlocks } from './classes.ts';
import { exitOf } from './exit.ts';
import { blockedOf, meaningOf, type Gap } from './blocked.ts';
import { coveragePage } from './coverage/coverage-blocks.ts';
import { findingOf, profileIn } from './finding.ts';
import { likenessBlocks } from './likeness.ts';
import type { Run } from './run.ts';
import { areaTable, expiredTable, expiredTitle, foldedRemains, groupByReason } from './run-summary.ts';
import { counted, seconds } from './text.ts';
import { keyPath } from './observed.ts';

const levels: readonly Level[] = ['must', 'should', 'observe'];

const longestKey = 100;

/** Everything that a run knows, to be searched: how every selected rule stands and why, what was not tested, and what was seen where the documents are silent. */
export function runPage(run: Run): Document {
  const { header } = run;
  const assessment = assess(run);
  const exit = exitOf(run, assessment);
  return {
    title: `Conformance of ${header.implementation}`,
    verdict: [[strong(`Exit ${exit.code}`), `: ${exit.words}.`]],
    exitCode: exit.code,
    about: [
      paragraph({ as: 'faint', text: `${withoutUser(header.baseUrl)}, ${minuteOf(header.startedAt)}` }),
      { kind: 'counts', counts: countsOf(assessment.standings) },
    ],
    body: [
      ...sectionOf('Findings', outcomeBlocks(run, assessment), { id: 'findings' }),
      ...sectionOf('What was not tested, and why', untested(run, assessment), { id: 'untested' }),
      ...sectionOf('Rules', ruleBlocks(run, assessment), { id: 'rules', room: 4 }),
      ...classBlocks(run, assessment),
      ...sectionOf(
        'By level and area',
        [{ kind: 'beside', blocks: [levelTable(assessment.standings), ...areaTable(assessment, 'By area')] }],
        { id: 'summary' },
      ),
      ...sectionOf('Where the documents are silent', ledger(assessment), {
        id: 'ledger',
        folded: counted(observationsIn(assessment).length, 'observation'),
      }),
      ...coveragePage(run, assessment),
      ...sectionOf('The run', runFacts(run), { id: 'facts' }),
    ],
  };
}

/** A time of the header to the minute; what has another form stands as it is. */
function minuteOf(startedAt: string): string {
  const [, day, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/.exec(startedAt) ?? [];
  return day === undefined ? startedAt : `${day} ${minute} UTC`;
}

/** States that some selected rule is in, the most urgent first. */
function countsOf(standings: readonly Standing[]): readonly Figure[] {
  return stateWords
    .filter(([state]) => state !== 'not-selected')
    .map(([state]) => ({ state, count: standings.filter((standing) => standing.state === state).length }))
    .filter(({ count }) => count > 0);
}

/** Rules that the profile does not expect to fail and that failed, or warn, as links; then what the profile and the target leave to do. */
function outcomeBlocks(run: Run, assessment: Assessment): readonly Block[] {
  const { failures, warnings, known } = assessment;
  const { causes } = blockedOf(run, assessment);
  const linked = (title: string, standings: readonly Standing[]): Block[] =>
    listSection(
      title,
      standings.map(({ rule }) => [
        ruleName(rule.id),
        ' ',
        withCode(rule.statement),
        ...behindOf(causes.get(rule.id) ?? []),
      ]),
      { count: standings.length },
    );
  const tables: readonly Block[] = [
    { kind: 'table', caption: 'Known failures', ...knownTable(known) },
    { kind: 'table', caption: expiredTitle, ...expiredTable(run) },
  ];
  return [
    ...linked('Failed', changedSince(run.header, failures)),
    ...linked('Warned', changedSince(run.header, warnings)),
    ...linked(sameTitle, sameSince(run.header, [...failures, ...warnings])),
    ...likenessBlocks(assessment),
    ...tables.filter((table) => table.kind === 'table' && table.rows.length > 0),
    ...(failures.length + warnings.length === 0
      ? [paragraph('No rule that was judged is violated beyond what the profile expects.')]
      : []),
  ];
}

/** How much a violation takes the ground from. */
function behindOf(blocked: readonly Standing[]): readonly Text[] {
  return blocked.length === 0 ? [] : [{ as: 'faint', text: ` (blocks ${counted(blocked.length, 'rule')})` }];
}

function knownTable(known: readonly KnownFailure[]) {
  const status = {
    fails: 'fails as expected',
    stale: 'passes now: take it off the profile',
    'not-judged': 'not judged by this run',
  };
  return { titles: ['rule', 'now', 'reason'], rows: known.map((one) => [one.rule, status[one.status], one.reason]) };
}

function levelTable(standings: readonly Standing[]): Block {
  const shown = states.filter((state) => standings.some((standing) => standing.state === state));
  const count = (level: Level, state: State): number =>
    standings.filter((standing) => standing.rule.level === level && standing.state === state).length;
  return {
    kind: 'table',
    caption: 'By level',
    titles: ['level', ...shown.map(wordOf)],
    rows: levels.map((level) => [level, ...shown.map((state) => ({ state, count: count(level, state) }))]),
    numbers: [1, shown.length],
  };
}

/** What the run does not speak about and why: needs first, then rules that are not kept, then other reasons, then what stumbled or never ran. */
function untested(run: Run, assessment: Assessment): readonly Block[] {
  const { gaps, causes, others } = blockedOf(run, assessment);
  const groups = [
    ...gaps.map(groupOfGap),
    ...groupByReason([...causes.values()].flat()).map((group) => ({ title: 'blocked', ...group })),
    ...groupByReason(others).map((group) => ({ title: 'blocked', ...group })),
    ...groupByReason(inState(assessment, 'broken')).map((group) => ({ title: 'broken', ...group })),
    ...groupOf('Not run', 'The run ended before them.', inState(assessment, 'not-run')),
    ...groupOf(
      'Not selected',
      'Another selection of areas, rules or levels, or another side, judges them.',
      inState(assessment, 'not-selected'),
    ),
  ];
  return groups.length === 0 ? [paragraph('Every rule was tested.')] : [{ kind: 'groups', groups }];
}

/** A rule that lacks several needs stands under each. */
function groupOfGap({ need, members, unlocks, hint }: Gap): Group {
  const meaning = meaningOf(need);
  return {
    title: `needs ${need}`,
    reason: `${unlocks === members.length ? '' : `unlocks ${unlocks} of them with the needs above; `}${meaning === undefined ? '' : `${meaning}; `}${hint}`,
    rules: members.map(({ rule }) => rule.id),
  };
}

function groupOf(title: string, reason: string, standings: readonly Standing[]): Group[] {
  return standings.length === 0 ? [] : [{ title, reason, rules: standings.map(({ rule }) => rule.id) }];
}

/** Every selected rule by area. */
function ruleBlocks(run: Run, assessment: Assessment): readonly Block[] {
  const { standings, known } = assessment;
  const { causes } = blockedOf(run, assessment);
  const reasons = new Map<string, string>(known.map(({ rule, reason }) => [rule, reason]));
  const selected = standings.filter(({ state }) => state !== 'not-selected');
  const named = (values: readonly string[]): readonly Choice[] => values.map((value) => [value, value]);
  return [
    {
      kind: 'filter',
      choices: {
        verdict: stateWords.filter(([state]) => state !== 'not-selected'),
        area: named(areas),
        level: named(levels),
        side: named(['service', 'extension']),
      },
    },
    ...areas.flatMap((area) =>
      sectionOf(
        area,
        selected
          .filter(({ rule }) => rule.area === area)
          .map((standing) => findingOf(standing, run, { causes, known: reasons.get(standing.rule.id) })),
      ),
    ),
  ];
}

/** What was seen where the documents leave a choice, with the key of the profile that binds the point. */
function ledger(assessment: Assessment): readonly Block[] {
  const rows = observationsIn(assessment).map(({ rule, what, seen, key }) => [
    ruleName(rule),
    what,
    seen,
    boundBy(key),
  ]);
  if (rows.length === 0) return [paragraph('Nothing was observed.')];
  return [{ kind: 'table', caption: 'What was seen', titles: ['rule', 'what', 'seen', 'bound by'], rows }];
}

function observationsIn({ standings }: Assessment) {
  return standings
    .filter(({ rule }) => rule.level === 'observe')
    .flatMap(({ rule, outcome }) => (outcome?.observations ?? []).map((one) => ({ rule: rule.id, ...one })));
}

/** The key, and the question that it answers. */
function boundBy(key: string | undefined): Text {
  if (key === undefined) return '';
  const path = keyPath(key);
  const open = questions.get(path);
  return [code(path.slice(0, longestKey)), ...(open === undefined ? [] : [' ', withCode(open)])];
}

const questions: ReadonlyMap<string, string> = new Map(
  [...silences.core, ...silences.extensions].flatMap((silence) =>
    keysOf(silence).map((key) => [key, silence.open] as const),
  ),
);

function keysOf({ profile = [] }: Silence): readonly string[] {
  return typeof profile === 'string' ? [profile] : profile;
}

/** What a reader has to know to repeat the run. */
function runFacts(run: Run): readonly Block[] {
  const { header, footer, notes = [] } = run;
  const remains = footer?.remains ?? [];
  const rows: readonly (readonly [string, string])[] = [
    ['implementation', header.implementation],
    ['base URL', withoutUser(header.baseUrl)],
    // what stands in it is in no report
    ['profile', profileIn(header) ?? 'the one of the package'],
    ['seed', String(header.seed)],
    ['runs of a property', String(header.runs)],
    ['started', header.startedAt],
    [
      'duration',
      footer === undefined
        ? 'cut off before its end'
        : `${seconds(footer.durationMs)}, ${counted(footer.requests, 'request')}`,
    ],
    ...(footer?.aborted === undefined ? [] : [['ended early', footer.aborted] as const]),
    ['version of the suite', header.suiteVersion],
    ['version of the record', String(header.schemaVersion)],
    ...notes.map((note) => ['note', note] as const),
  ];
  return [
    { kind: 'facts', rows },
    { kind: 'command', label: 'the command of the run', text: header.command },
    ...tableSection('Left on the target', foldedRemains(run)),
    ...(remains.length === 0
      ? []
      : [
          {
            kind: 'folded',
            title: `all of it: ${counted(remains.length, 'object')}`,
            lines: remains.map(({ uri, reason }) => `${uri}  ${reason}`),
          } as const,
        ]),
  ];
}
