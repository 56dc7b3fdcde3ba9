import type { Timeline } from '../../judge/outcome.ts';
import { inState, type Assessment, type KnownFailure, type Standing } from '../assessment.ts';
import { groupedByReason, remarksOf } from '../grouping.ts';
import type { Run } from '../run.ts';
import { cutTo } from '../text.ts';
import { timelineRows, timelineSentence, timelineTitles } from '../timeline.ts';
import { variablesOf } from '../variables.ts';
import { factsOf } from '../violation.ts';
import type { Part } from './fit.ts';
import { block, code, inline, table } from './text.ts';

const longestFact = 8000;
const longestCell = 200;
const mostTimelines = 3;

/** The parts of the page after the summary, the worst first. */
export function findingParts(run: Run, assessment: Assessment): Part[] {
  const { standings, failures, warnings } = assessment;
  return [
    ...violations('Violations', failures, run),
    ...violations('Guidelines not kept', warnings, run),
    ...variables(run, [...failures, ...warnings]),
    ...listed('Broken: the suite stumbled', ['rules', 'reason'], groupRows(inState(assessment, 'broken'))),
    ...listed('Blocked', ['rules', 'reason'], groupRows(inState(assessment, 'blocked'))),
    ...listed(
      'Not run',
      ['rule'],
      inState(assessment, 'not-run').map(({ rule }) => [code(rule.id)]),
    ),
    ...known(assessment),
    ...listed(
      'Expired entries of the profile: renew them or take them out',
      ['entry', 'list', 'until', 'reason'],
      expired(run),
    ),
    ...listed(
      'Left on the target',
      ['object', 'why'],
      (run.footer?.remains ?? []).map(({ uri, reason }) => [short(code, uri), short(inline, reason)]),
    ),
    ...listed('Observed where the documents are silent', ['rule', 'what', 'seen'], observations(standings)),
    ...listed(
      'Remarks',
      ['rule', 'remark'],
      remarksOf(standings).map(({ rule, text }) => [code(rule), short(inline, text)]),
    ),
  ];
}

function violations(title: string, standings: readonly Standing[], run: Run): Part[] {
  if (standings.length === 0) return [];
  const details = standings.map((standing) => ({
    name: `the violation of ${standing.rule.id}`,
    text: detailsOf(standing, run),
  }));
  return [{ name: title, text: `### ${title} (${standings.length})` }, ...details];
}

function detailsOf(standing: Standing, run: Run): string {
  const { rule } = standing;
  const facts = factsOf(standing, run.header).flatMap(({ label, text }) => [
    `**${label}**`,
    block(cutTo(longestFact, text)),
  ]);
  return [
    `<details><summary>${code(rule.id)} (${rule.level})</summary>`,
    inline(rule.statement),
    ...facts,
    ...(standing.outcome?.timelines ?? []).slice(0, mostTimelines).map(scheduleOf),
    '</details>',
  ].join('\n\n');
}

/** A line for each call of a schedule, and for each that did not come. */
function scheduleOf(timeline: Timeline): string {
  const rows = timelineRows(timeline).map(({ cells, isOff }) => [
    isOff ? '✗' : '✓',
    ...cells.map((cell) => short(inline, cell)),
  ]);
  return `**${short(inline, timeline.title)}** ${short(inline, timelineSentence(timeline))}\n\n${table(['', ...timelineTitles], rows)}`;
}

function variables({ header }: Run, violated: readonly Standing[]): Part[] {
  const rows = variablesOf(violated, header).map(({ name, line }) => [code(name), code(line)]);
  return listed('Variables in the curl lines', ['variable', 'how it gets its value'], rows);
}

function groupRows(standings: readonly Standing[]): string[][] {
  return groupedByReason(standings).map(({ reason, rules }) => [
    rules.map((rule) => code(rule)).join('<br>'),
    short(inline, reason),
  ]);
}

function known({ known }: Assessment): Part[] {
  const rows = (status: KnownFailure['status']) =>
    known
      .filter((failure) => failure.status === status)
      .map(({ rule, reason }) => [short(code, rule), short(inline, reason)]);
  return [
    ...listed('Known failures', ['rule', 'reason'], rows('fails')),
    ...listed('Known failures that pass now: take them off the profile', ['rule', 'reason'], rows('stale')),
    ...listed('Known failures that this run did not judge', ['rule', 'reason'], rows('not-judged')),
  ];
}

function expired({ header }: Run): string[][] {
  return (header.expired ?? []).map(({ entry, list, until, reason }) => [
    short(code, entry),
    list,
    short(inline, until),
    short(inline, reason),
  ]);
}

function observations(standings: readonly Standing[]): string[][] {
  return standings.flatMap(({ rule, outcome }) =>
    (outcome?.observations ?? []).map(({ what, seen }) => [code(rule.id), short(inline, what), short(code, seen)]),
  );
}

function short(form: (text: string) => string, text: string): string {
  return form(cutTo(longestCell, text));
}

function listed(title: string, titles: readonly string[], rows: readonly (readonly string[])[]): Part[] {
  return rows.length === 0 ? [] : [{ name: title.toLowerCase(), text: `### ${title}\n\n${table(titles, rows)}` }];
}
