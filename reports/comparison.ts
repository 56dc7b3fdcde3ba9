import type { Report, RuleResult, State } from '../contract/schemas/report.ts';
import { isJudged, isKept, isViolated } from './assessment.ts';
import { type Block, code, type Document, strong, tableSection, type Text, paragraph } from './document.ts';
import { answersOf } from './observed.ts';
import { counted, foundInWords } from './text.ts';

/** Rules that are named of those that changed for one reason. */
const namedRules = 8;

/** A rule whose verdict is another one in the second run. */
export interface Change {
  readonly rule: string;
  readonly before: State;
  readonly after: State;
  /** What the worse of the two runs found: the violation, or why there is no verdict. */
  readonly found?: string;
  /** The rule whose breach is all that blocks it now. */
  readonly behind?: string;
}

/** A place where the documents are silent and the two runs saw something else. */
export interface Difference {
  readonly rule: string;
  readonly name: string;
  /** Empty where nothing was seen under that name. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Two runs beside each other. */
export interface Comparison {
  readonly before: Report;
  readonly after: Report;
  /** Kept before and no longer: violated, blocked, broken or not run. */
  readonly regressions: readonly Change[];
  /** Not kept before, kept now. */
  readonly repairs: readonly Change[];
  /** Kept in neither, and another verdict. */
  readonly others: readonly Change[];
  /** Judged in the second run only. */
  readonly added: readonly Change[];
  /** Judged in the first run only: nothing tells that they are kept any longer. */
  readonly gone: readonly Change[];
  /** Violated in the first run, and neither judged in the second nor behind a violation there, though it was selected. */
  readonly lost: readonly Change[];
  readonly differences: readonly Difference[];
}

/** Lays the second run over the first one. */
export function compare(before: Report, after: Report): Comparison {
  const changes = changesOf(before, after);
  const kind = (wanted: Kind): Change[] => changes.filter((change) => kindOf(change) === wanted);
  return {
    before,
    after,
    regressions: kind('regression'),
    repairs: kind('repair'),
    others: kind('other'),
    added: kind('added'),
    gone: kind('gone'),
    lost: kind('lost'),
    differences: differencesOf(before, after),
  };
}

type Kind = 'regression' | 'repair' | 'other' | 'added' | 'gone' | 'lost';

function kindOf({ before, after, behind }: Change): Kind {
  if (before === 'not-selected') return 'added';
  if (after === 'not-selected') return 'gone';
  if (isKept(before)) return 'regression';
  if (isKept(after)) return 'repair';
  // what is blocked by a violation is told with that one
  const isTold = isViolated(after) || behind !== undefined;
  return isViolated(before) && !isTold ? 'lost' : 'other';
}

function changesOf(before: Report, after: Report): Change[] {
  const [one, two] = [byId(before), byId(after)];
  const ids = [...new Set([...two.keys(), ...one.keys()])];
  return ids.flatMap((id) => {
    const change = { ...changeOf(id, one.get(id), two.get(id)), ...causeOf(two.get(id), two) };
    // what was judged to explain another rule is not asked for again once that one is kept
    const isSpared = one.get(id)?.ground === true && change.after === 'not-selected';
    const isSame = change.before === change.after || isSpared || (isKept(change.before) && isKept(change.after));
    return isSame ? [] : [change];
  });
}

/** A rule that the catalogue of one version lacks was not selected there. */
function changeOf(rule: string, one: RuleResult | undefined, two: RuleResult | undefined): Change {
  const [before, after] = [one?.state ?? 'not-selected', two?.state ?? 'not-selected'];
  const found = foundBy(isKept(after) ? one : two);
  return { rule, before, after, ...(found !== undefined && { found }) };
}

function causeOf(result: RuleResult | undefined, all: ReadonlyMap<string, RuleResult>): Pick<Change, 'behind'> {
  const behind =
    result?.state === 'blocked' ? result.standsOn?.find((id) => isViolated(all.get(id)?.state)) : undefined;
  return behind === undefined ? {} : { behind };
}

function foundBy(result: RuleResult | undefined): string | undefined {
  return foundInWords(result?.violation) ?? result?.reason;
}

function differencesOf(before: Report, after: Report): Difference[] {
  const one = byId(before);
  return after.rules.flatMap((rule) => {
    const earlier = one.get(rule.id);
    // a rule without a verdict saw nothing, or not everything
    return earlier !== undefined && isJudged(earlier.state) && isJudged(rule.state) ? differencesIn(earlier, rule) : [];
  });
}

function differencesIn(one: RuleResult, two: RuleResult): Difference[] {
  const [before, after] = [one, two].map((result) => new Map(answersOf(result).map(({ name, seen }) => [name, seen])));
  const names = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])];
  const found = names.map((name) => ({
    rule: two.id,
    name,
    before: before?.get(name) ?? [],
    after: after?.get(name) ?? [],
  }));
  // what was violated looked no further
  const isShort = isViolated(one.state) || isViolated(two.state);
  const isTold = ({ before: first, after: second }: Difference): boolean => first.length > 0 && second.length > 0;
  return found.filter(
    (difference) => difference.before.join('\n') !== difference.after.join('\n') && (!isShort || isTold(difference)),
  );
}

function byId({ rules }: Report): ReadonlyMap<string, RuleResult> {
  return new Map(rules.map((rule) => [rule.id, rule]));
}

/** Says which rules changed and where the two do something else, the worst first. */
export function comparisonReport(comparison: Comparison): Document {
  const { before, after, differences } = comparison;
  const rows = differences.map(({ rule, name, before: one, after: two }) => [
    code(rule),
    name,
    seenText(one),
    seenText(two),
  ]);
  return {
    title:
      before.implementation === after.implementation
        ? `Comparison of two runs of ${before.implementation}`
        : `Comparison of ${before.implementation} and ${after.implementation}`,
    verdict: [[strong(verdictOf(comparison)), '.']],
    about: [
      {
        kind: 'facts',
        rows: [
          ['first', runName(before)],
          ['second', runName(after)],
        ],
      },
      paragraph(regressionMeaning),
    ],
    body: [
      ...changeSections(comparison),
      ...tableSection(
        'Different where the documents are silent',
        { titles: ['rule', 'what', 'first', 'second'], rows, below: 2 },
        { count: rows.length },
      ),
    ],
  };
}

/** The changes that there are, the worst first. */
function changeSections({ regressions, repairs, others, added, gone, lost }: Comparison): readonly Block[] {
  const groups: readonly (readonly [title: string, changes: readonly Change[]])[] = [
    ['Regressions: kept before, and no longer', regressions],
    ['Gone: judged in the first run only', gone],
    ['Lost: violated before, and not judged now', lost],
    ['Repairs: kept now', repairs],
    ['Other verdicts, kept in neither run', others],
    ['New: judged in the second run only', added],
  ];
  return groups.flatMap(([title, changes]) =>
    tableSection(
      title,
      { titles: ['rule', 'verdicts', 'found', 'blocks'], rows: rowsOf(changes), below: 2 },
      { count: changes.length, ...asideOf(changes) },
    ),
  );
}

/** A row a cause, with what is merely blocked by it; then what changed alike for one reason together. */
function rowsOf(changes: readonly Change[]): readonly (readonly Text[])[] {
  const behind = Map.groupBy(
    changes.filter((change) => change.behind !== undefined),
    (change) => change.behind ?? '',
  );
  const causes = changes.filter((change) => change.behind === undefined && !isFolded(change));
  const told = new Set(causes.map(({ rule }) => rule));
  const alike = Map.groupBy(
    changes.filter((change) => change.behind === undefined && isFolded(change)),
    ({ before, after, found = '' }) => [before, after, found].join(' '),
  );
  return [
    ...causes.map(({ rule, before, after, found = '' }) => [
      code(rule),
      `${before} -> ${after}`,
      found,
      behind.has(rule) ? someOf(behind.get(rule) ?? []) : '',
    ]),
    ...[...behind]
      .filter(([cause]) => !told.has(cause))
      .map(([cause, blocked]) => [code(cause), 'violated, and told elsewhere', '', someOf(blocked)]),
    ...[...alike.values()].map((some) => [
      someOf(some),
      `${some[0]?.before ?? ''} -> ${some[0]?.after ?? ''}`,
      some[0]?.found ?? '',
      '',
    ]),
  ];
}

/** Whether nothing but its reason is to be told of it: no violation in either run. */
function isFolded({ before, after }: Change): boolean {
  return ![before, after].some((state) => isViolated(state) || state === 'broken');
}

function someOf(changes: readonly Change[]): Text {
  const left = changes.length - namedRules;
  const named = changes.slice(0, namedRules).flatMap(({ rule }, index) => [...(index > 0 ? [', '] : []), code(rule)]);
  if (changes.length === 1) return named;
  return [`${counted(changes.length, 'rule')}: `, ...named, ...(left > 0 ? [` and ${left} more`] : [])];
}

/** How many of the changes are no more than blocked. */
function asideOf(changes: readonly Change[]): { readonly aside?: string } {
  const blocked = changes.filter(({ after }) => after === 'blocked').length;
  return blocked === 0 ? {} : { aside: `${changes.length - blocked} by themselves, ${blocked} blocked` };
}

function runName({ implementation, baseUrl, startedAt, suiteVersion, seed, complete }: Report): string {
  return `${implementation} at ${baseUrl}, ${startedAt}, version ${suiteVersion}, seed ${seed}${complete ? '' : ', not complete'}`;
}

/** What counts for the exit code, and the rest. */
function verdictOf({ regressions, repairs, others, added, gone, lost, differences }: Comparison): string {
  const blocked = regressions.filter(({ after }) => after === 'blocked').length;
  return [
    blocked === 0
      ? counted(regressions.length, 'regression')
      : `${counted(regressions.length, 'regression')}, ${blocked} of them merely blocked`,
    counted(repairs.length, 'repair'),
    `${others.length} otherwise changed`,
    `${added.length} new`,
    `${gone.length} gone`,
    ...(lost.length === 0 ? [] : [`${lost.length} lost`]),
    `${counted(differences.length, 'difference')} where the documents are silent`,
  ].join(', ');
}

const regressionMeaning =
  'A regression is a rule that passed or was observed in the first run and is failed, warned, blocked, broken or not run in the second. Regressions end with 1, and so do rules that are gone, unless --allow-gone says that they may be; what is lost, or a run that judged nothing, ends with 3.';

function seenText(seen: readonly string[]): Text {
  return seen.length === 0 ? 'nothing noted' : code(seen.join(' or '));
}
