import type { State } from '../contract/schemas/report.ts';
import type { Outcome } from '../judge/outcome.ts';
import {
  apartCounts,
  assess,
  type Assessment,
  type Counts,
  inState,
  isExplained,
  type KnownFailure,
  selectedAreas,
  type Standing,
  wordOf,
} from './assessment.ts';
import {
  type Block,
  code,
  type Document,
  type Form,
  listSection,
  sectionOf,
  strong,
  tableSection,
  paragraph,
} from './document.ts';
import { changedSince, sameSince, sameTitle } from './entries.ts';
import { classBlocks, classSentence } from './classes.ts';
import { exitOf } from './exit.ts';
import { type Blocked, blockedOf, circleOf, gapSentence, gapTable } from './blocked.ts';
import { coverageLines, coverageSection } from './coverage/coverage-blocks.ts';
import { cleanCommand, findingOf, lackedToClean, variablesOf } from './finding.ts';
import { likenessBlocks } from './likeness.ts';
import { keyPath, withoutChance } from './observed.ts';
import type { Run } from './run.ts';
import { counted, firstOf, numbersIn, oneLine, seconds } from './text.ts';

/** Columns of the summary, in reading order. */
const columns: readonly State[] = ['pass', 'fail', 'warn', 'observed', 'blocked', 'broken'];
const rareColumns: readonly State[] = ['not-run', 'not-selected'];

/** A pipeline's log names no more of them. */
const mostNamed = 20;

/** The result of a run for a terminal or a step summary: the table by area, then what needs a reader. `folder` holds the reports. */
export function runSummary(run: Run, folder?: string): Document {
  const { header, footer, notes = [] } = run;
  const { implementation, baseUrl, seed, startedAt, suiteVersion, command } = header;
  const assessment = assess(run);
  const exit = exitOf(run, assessment);
  return {
    title: `Conformance of ${implementation}`,
    terminalTitle: `${implementation} at ${baseUrl}, seed ${seed}`,
    verdict: [[strong(`Exit ${exit.code}`), `: ${exit.words}.`]],
    exitCode: exit.code,
    about: [
      paragraph(
        ['Judged at ', code(baseUrl), `, started ${startedAt}, ${endOf(run)}, by version ${suiteVersion}.`],
        'markdown',
      ),
      { kind: 'command', label: 'again', text: command, only: ['markdown'] },
      ...notes.map((note) => paragraph(`Note: ${note}`)),
      paragraph(footer === undefined ? 'The run was cut off: wall time unknown.' : `${endOf(run)}.`, 'terminal'),
      ...(folder === undefined ? [] : [paragraph(`All of it, with every request: ${folder}/report.html`, 'terminal')]),
    ],
    body: [
      ...areaTable(assessment),
      ...apartSentence(run, assessment),
      ...classSentence(run, assessment),
      ...coverageLines(run, assessment),
      ...findingBlocks(run, assessment, folder),
      ...classBlocks(run, assessment),
      ...coverageSection(run, assessment),
    ],
  };
}

/** How many rules ended how, and the names of those that are violated. */
export function quietSummary(run: Run, folder?: string): Document {
  const assessment = assess(run);
  return {
    ...runSummary(run, folder),
    body: [
      ...areaTable(assessment),
      ...apartSentence(run, assessment),
      ...namesToLookInto(run, assessment),
      ...leftSentence(run, folder),
    ],
  };
}

/** Whoever runs it each night and sees no more of it would fill the deployment up. */
function leftSentence(run: Run, folder?: string): readonly Block[] {
  const count = run.footer?.remains.length ?? 0;
  if (count === 0) return [];
  const [most] = foldedReasons(run);
  const command = cleanCommand(folder && `${folder}/report.json`, run.header);
  const by = command === undefined ? '' : `; ${command} ${deletesThem(run)}`;
  return [
    paragraph(
      `Left on the target: ${counted(count, 'object')}, ${most?.objects.length} of them since ${most?.reason}${by}.`,
    ),
  ];
}

function deletesThem(run: Run): string {
  const key = lackedToClean(run);
  return key === undefined ? 'deletes them' : `deletes them once the profile has ${key}`;
}

/** The folder has the rest of what is known of them. */
function namesToLookInto(run: Run, assessment: Assessment): readonly Block[] {
  const { header } = run;
  const { failures, warnings, known } = assessment;
  const undeclared = inState(assessment, 'blocked').filter((standing) => !isExplained(standing, run, assessment));
  const stale = known.filter(({ status }) => status === 'stale').map(({ rule }) => rule);
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['Violated', changedSince(header, failures).map(({ rule }) => rule.id)],
    ['Not kept', changedSince(header, warnings).map(({ rule }) => rule.id)],
    [sameTitle, sameSince(header, [...failures, ...warnings]).map(({ rule }) => rule.id)],
    ['Known to fail, and passing', stale],
    ['Broken', inState(assessment, 'broken').map(({ rule }) => rule.id)],
    ['Blocked for no reason on record', undeclared.map(({ rule }) => rule.id)],
  ];
  return lists
    .filter(([, names]) => names.length > 0)
    .map(([words, names]) => paragraph(`${words}: ${firstOf(mostNamed, names)}`));
}

function endOf({ footer }: Run): string {
  return footer === undefined
    ? 'cut off before its end'
    : `${counted(footer.requests, 'request')} in ${seconds(footer.durationMs)}`;
}

/** One row an area of which something was selected, and the total of these. */
export function areaTable(assessment: Assessment, caption?: string): readonly Block[] {
  const areas = selectedAreas(assessment);
  const rare = rareColumns.filter((state) => areas.some((area) => area[state] > 0));
  const shown = [...columns, ...rare];
  const sumOf = (state: State): number => areas.reduce((sum: number, area: Counts) => sum + area[state], 0);
  return [
    {
      kind: 'table',
      ...(caption !== undefined && { caption }),
      titles: ['area', ...shown.map(wordOf)],
      rows: [
        ...areas.map((area) => [area.area, ...shown.map((state) => ({ state, count: area[state] }))]),
        ['total', ...shown.map((state) => ({ state, count: sumOf(state) }))],
      ],
      numbers: [1, shown.length],
      hasTotal: true,
    },
  ];
}

/** Says what is accounted for, by the profile or by what is a finding itself. */
function apartSentence(run: Run, assessment: Assessment): readonly Block[] {
  const { known, declared, stale, expired } = apartCounts(run, assessment);
  const shown = numbersIn([
    [known, 'known to fail'],
    [declared, 'blocked for a reason on record'],
    [stale, 'said to fail and passing'],
    [expired, 'expired'],
  ]);
  return shown.length === 0 ? [] : [paragraph(`Of these: ${shown.join(', ')}.`)];
}

/** Everything that needs a reader: violations first on a page, and last on a terminal, where the end is what is seen. */
export function findingBlocks(run: Run, assessment: Assessment, folder?: string): readonly Block[] {
  const violations = violationBlocks(run, assessment, folder);
  const likeness = likenessBlocks(assessment);
  const unrepeated = unrepeatedBlocks(run, assessment);
  return [
    ...inForms(['markdown', 'page'], [...violations, ...unrepeated, ...likeness]),
    ...inForms(['markdown', 'page'], openBlocks(run, assessment)),
    ...besidesBlocks(run, assessment, folder),
    ...inForms(['terminal'], openBlocks(run, assessment)),
    ...inForms(['terminal'], [...likeness, ...violations.toReversed(), ...unrepeated]),
  ];
}

/** As the judge says it of requests that it has sent again by themselves. */
export const answeredOtherwise = 'sent again, the same requests were not answered in the same way';

/** Where many cases are under way at once, a breach that takes several shows in others that are innocent. */
function unrepeatedBlocks({ header: { command } }: Run, { failures, warnings }: Assessment): readonly Block[] {
  const count = [...failures, ...warnings].filter(({ outcome }) => {
    const repetition = outcome?.violation?.repetition;
    return repetition !== undefined && 'reason' in repetition && repetition.reason.endsWith(answeredOtherwise);
  }).length;
  if (count === 0 || command === '' || / --concurrency 1(?: |$)/.test(command)) return [];
  const text = `${counted(count, 'rule')} of these did not show once more by the same requests alone: what else was under way may be to blame, or answers whose parts are in another order each time. One case at a time tells:`;
  return [paragraph(text), { kind: 'command', label: 'one by one', text: `${command} --concurrency 1` }];
}

function inForms(forms: readonly Form[], blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block) => ({ ...block, only: (block.only ?? forms).filter((form) => forms.includes(form)) }));
}

/** What the target violates, the worst first. */
function violationBlocks(run: Run, assessment: Assessment, folder: string | undefined): readonly Block[] {
  const { failures, warnings } = assessment;
  const { causes } = blockedOf(run, assessment);
  const violations = (title: string, violated: readonly Standing[]): Block[] =>
    sectionOf(
      title,
      violated.map((standing) => findingOf(standing, run, { causes, folder })),
      { count: violated.length },
    );
  return [
    ...violations('Violations', changedSince(run.header, failures)),
    ...violations('Guidelines not kept', changedSince(run.header, warnings)),
    ...violations(sameTitle, sameSince(run.header, [...failures, ...warnings])),
    ...variableSection(run, [...failures, ...warnings]),
  ];
}

/** What was not judged, and why. */
function openBlocks(run: Run, assessment: Assessment): readonly Block[] {
  const blocked = blockedOf(run, assessment);
  return [
    ...gapSection(blocked),
    ...groupSection(
      'Blocked by something else',
      [...behindKnown(blocked, assessment), ...blocked.others],
      circleBlocks(blocked),
    ),
    ...listSection(
      'Not run',
      inState(assessment, 'not-run').map(({ rule }) => code(rule.id)),
    ),
    ...groupSection(
      run.footer?.aborted === undefined ? 'Broken: the suite stumbled' : 'Broken: not judged to the end',
      inState(assessment, 'broken'),
    ),
  ];
}

function gapSection(blocked: Blocked): Block[] {
  if (blocked.gaps.length === 0) return [];
  return sectionOf('Blocked: what the profile lacks', [
    paragraph(gapSentence(blocked)),
    { kind: 'table', ...gapTable(blocked.gaps) },
  ]);
}

/** Rules that stand on one that is not told of as a violation. */
function behindKnown({ causes }: Blocked, { failures, warnings }: Assessment): readonly Standing[] {
  const told = new Set<string>([...failures, ...warnings].map(({ rule }) => rule.id));
  return [...causes].filter(([cause]) => !told.has(cause)).flatMap(([, standings]) => standings);
}

/** What the profile says, what was seen beside the rules, and what is left. */
function besidesBlocks(run: Run, assessment: Assessment, folder: string | undefined): readonly Block[] {
  const { standings } = assessment;
  const left = foldedRemains(run);
  const clean = left.rows.length === 0 ? undefined : cleanCommand(folder && `${folder}/report.json`, run.header);
  return [
    ...knownBlocks(assessment),
    ...expiredBlocks(run),
    ...tableSection('Observed where the documents are silent', observedTable(standings), { only: ['markdown'] }),
    ...tableSection('Remarks', { titles: ['rule', 'remark'], rows: foldedRemarks(standings) }, { only: ['terminal'] }),
    ...tableSection('Remarks', { titles: ['rule', 'remark'], rows: remarksOf(standings) }, { only: ['markdown'] }),
    ...tableSection('Left on the target', left, { only: ['terminal'] }),
    ...(clean === undefined
      ? []
      : [{ kind: 'command', label: deletesThem(run), text: clean, only: ['terminal'] } as const]),
    ...tableSection('Left on the target', remainsTable(run), { only: ['markdown'] }),
  ];
}

function variableSection({ header }: Run, violated: readonly Standing[]): Block[] {
  const rows = variablesOf(violated, header).map(({ name, line }) => [code(name), code(line)]);
  return tableSection(
    'Variables in the curl lines',
    { titles: ['variable', 'how it gets its value'], rows },
    { only: ['markdown'] },
  );
}

function groupSection(title: string, standings: readonly Standing[], before: readonly Block[] = []): Block[] {
  const groups: Block = { kind: 'groups', groups: groupByReason(standings) };
  return standings.length === 0 ? [] : sectionOf(title, [...before, groups]);
}

/** Nothing is violated where everything waits, and whoever reads that has to know what to build or to mend first. */
function circleBlocks(blocked: Blocked): readonly Block[] {
  const { waiting, grounds } = circleOf(blocked);
  if (grounds.length === 0) return [];
  const judging = `${counted(waiting, 'rule')} of these ${waiting === 1 ? 'waits' : 'wait'} for what ${firstOf(mostNamed, grounds)} ${grounds.length === 1 ? 'judges' : 'judge'}`;
  const text = `${judging}, which could not be judged for the lack of it either: most likely ${grounds.length === 1 ? 'it' : 'one of them'} is not kept.`;
  return [paragraph(text)];
}

/** Rules that ended in the same way for the same reason, but for counts and names of the run, the largest group first. */
export function groupByReason(
  standings: readonly Standing[],
): { readonly reason: string; readonly rules: readonly string[] }[] {
  const reasoned = standings.map(({ rule, outcome }) => ({
    rule: rule.id,
    reason: oneLine(outcome?.reason ?? 'no reason recorded'),
  }));
  return [...Map.groupBy(reasoned, ({ reason }) => withoutCounts(reason)).values()]
    .map((members) => {
      const reasons = new Set(members.map(({ reason }) => reason));
      const [first = ''] = reasons;
      return { reason: reasons.size === 1 ? first : `${first}, for one`, rules: members.map(({ rule }) => rule) };
    })
    .toSorted((one, other) => other.rules.length - one.rules.length);
}

/** A status tells one reason from another, a time does not. */
function withoutCounts(reason: string): string {
  return withoutChance(reason).replaceAll(/(?<![\w.])(?![1-5]\d\d(?! m?s\b)(?![\w.]))\d+(?![\w.]|-)/g, '#');
}

function knownBlocks({ known }: Assessment): Block[] {
  const rows = (status: KnownFailure['status']) =>
    known.filter((failure) => failure.status === status).map(({ rule, reason }) => [code(rule), reason]);
  const titles = ['rule', 'reason'];
  return [
    ...tableSection('Known failures', { titles, rows: rows('fails') }),
    ...tableSection('Known failures that pass now: take them off the profile', { titles, rows: rows('stale') }),
    ...tableSection('Known failures that this run did not judge', { titles, rows: rows('not-judged') }),
  ];
}

function expiredBlocks(run: Run): Block[] {
  const lines = (run.header.expired ?? []).map(({ list, entry, until, reason }) =>
    paragraph(`${list}: ${entry}, until ${until}: ${reason}`, 'terminal'),
  );
  return [...sectionOf(expiredTitle, lines), ...tableSection(expiredTitle, expiredTable(run), { only: ['markdown'] })];
}

export const expiredTitle = 'Expired entries of the profile: renew them or take them out';

export function expiredTable({ header }: Run) {
  const rows = (header.expired ?? []).map(({ entry, list, until, reason }) => [code(entry), list, until, reason]);
  return { titles: ['entry', 'list', 'until', 'reason'], rows };
}

function remainsTable({ footer }: Run) {
  return { titles: ['object', 'why'], rows: (footer?.remains ?? []).map(({ uri, reason }) => [code(uri), reason]) };
}

/** Why objects are left, whatever rule is named, the most frequent first. */
export function foldedReasons({ footer, rules }: Run) {
  const ids = new Set<string>(rules.map(({ id }) => id));
  const folded = (reason: string): string =>
    reason
      .split(' ')
      .map((word) => (ids.has(word) ? 'its rule' : word))
      .join(' ');
  return [...Map.groupBy(footer?.remains ?? [], ({ reason }) => folded(reason))]
    .map(([reason, objects]) => ({ reason, objects }))
    .toSorted((one, other) => other.objects.length - one.objects.length);
}

/** One line for each reason. */
export function foldedRemains(run: Run) {
  const rows = foldedReasons(run).map(({ reason, objects }) => {
    const [first = { uri: '' }] = objects;
    return [objects.length === 1 ? code(first.uri) : `${objects.length} objects, such as ${first.uri}`, reason];
  });
  return { titles: ['object', 'why'], rows };
}

function observedTable(standings: readonly Standing[]) {
  const rows = standings.flatMap(({ rule, outcome }) =>
    (outcome?.observations ?? []).map(({ what, seen, key }) => [
      code(rule.id),
      what,
      code(seen),
      key === undefined ? '' : code(keyPath(key)),
    ]),
  );
  return { titles: ['rule', 'what', 'seen', 'bound by'], rows };
}

/** The remarks of every rule, and what had to be sent again. */
function remarksOf(standings: readonly Standing[]) {
  return standings.flatMap(({ rule, outcome }) =>
    [...(outcome?.remarks ?? []), ...toldRetries(outcome?.retries ?? [])].map((remark) => [code(rule.id), remark]),
  );
}

/** What several rules remark alike is one line. What the case of a blocked rule found by itself is left to the reports. */
function foldedRemarks(standings: readonly Standing[]): readonly (readonly string[])[] {
  const shown = standings.filter(({ state }) => state !== 'blocked');
  const of = (texts: (outcome: Outcome) => readonly string[]): readonly Remarked[] =>
    shown.flatMap(({ rule, outcome }) =>
      outcome === undefined ? [] : texts(outcome).map((text) => ({ rule: rule.id, text })),
    );
  const remarks = of((outcome) => outcome.remarks);
  const retries = of((outcome) => outcome.retries ?? []);
  const [told = ''] = toldRetries(retries.map(({ text }) => text));
  return [
    ...[...Map.groupBy(remarks, ({ text }) => text)].map(([text, alike]) => [byWhom(alike), text]),
    ...(retries.length === 0 ? [] : [[byWhom(retries), told]]),
  ];
}

interface Remarked {
  readonly rule: string;
  readonly text: string;
}

function byWhom(told: readonly Remarked[]): string {
  const [first = '', ...others] = new Set(told.map(({ rule }) => rule));
  return others.length === 0 ? first : counted(1 + others.length, 'rule');
}

/** A service that holds requests back does so often: one of them tells enough. */
function toldRetries(retries: readonly string[]): readonly string[] {
  const [first, ...others] = retries;
  if (first === undefined) return [];
  return [others.length === 0 ? `sent again: ${first}` : `sent again ${retries.length} times, first: ${first}`];
}
