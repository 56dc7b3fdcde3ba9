import { inState, type Assessment, type KnownFailure, type Standing } from '../assessment.ts';
import { groupedByReason, remarksOf } from '../grouping.ts';
import type { Run } from '../run.ts';
import { counted, cutTo, oneLine, printable } from '../text.ts';
import { variablesOf } from '../variables.ts';
import { factsOf } from '../violation.ts';
import type { Paint } from './paint.ts';

const longestFact = 4000;
const longestLine = 600;
const namedRules = 8;
const labelWidth = 10;

/** Everything that needs a reader, the worst first. */
export function findingLines(run: Run, assessment: Assessment, paint: Paint): string[] {
  return [
    ...violations('Violations', 'FAIL', assessment.failures, run, paint),
    ...violations('Guidelines not kept', 'WARN', assessment.warnings, run, paint),
    ...variables(run, assessment, paint),
    ...groups('Broken: the suite stumbled', inState(assessment, 'broken'), paint),
    ...groups('Blocked', inState(assessment, 'blocked'), paint),
    ...section(
      'Not run',
      named(
        inState(assessment, 'not-run').map(({ rule }) => rule.id),
        '  ',
      ),
      paint,
    ),
    ...known(assessment, paint),
    ...section('Expired entries of the profile: renew them or take them out', expired(run), paint),
    ...section(
      'Remarks',
      remarksOf(assessment.standings).map(({ rule, text }) => `  ${rule}: ${cutTo(longestLine, text)}`),
      paint,
    ),
    ...section(
      'Left on the target',
      (run.footer?.remains ?? []).map(({ uri, reason }) => line(`${uri}: ${reason}`)),
      paint,
    ),
  ];
}

function violations(
  title: string,
  word: 'FAIL' | 'WARN',
  standings: readonly Standing[],
  run: Run,
  paint: Paint,
): string[] {
  const blocks = standings.flatMap((standing) => [
    `${paint(word === 'FAIL' ? 'bad' : 'caution', word)}  ${paint('title', standing.rule.id)}  ${standing.rule.level}`,
    `  ${standing.rule.statement}`,
    ...factsOf(standing, run.header).flatMap(({ label, text }) => labelled(label, text)),
    '',
  ]);
  return section(`${title}: ${counted(standings.length, 'rule')}`, blocks.slice(0, -1), paint);
}

/** A cut never touches the command or a curl line: half a command is worse than a long one. */
function labelled(label: string, text: string): string[] {
  const shown = label === 'curl' || label === 'replay' ? text : cutTo(longestFact, text);
  return shown.split('\n').map((part, index) => `  ${(index === 0 ? label : '').padEnd(labelWidth)}${part}`);
}

function variables({ header }: Run, { failures, warnings }: Assessment, paint: Paint): string[] {
  const lines = variablesOf([...failures, ...warnings], header).map((variable) => `  ${printable(variable.line)}`);
  return section('Variables in the curl lines', lines, paint);
}

function groups(title: string, standings: readonly Standing[], paint: Paint): string[] {
  const lines = groupedByReason(standings).flatMap(({ reason, rules }) => [
    `  ${counted(rules.length, 'rule')}: ${cutTo(longestLine, reason)}`,
    ...named(rules, '    '),
  ]);
  return section(title, lines, paint);
}

function named(rules: readonly string[], indent: string): string[] {
  const more = rules.length > namedRules ? [`and ${rules.length - namedRules} more`] : [];
  return [...rules.slice(0, namedRules), ...more].map((text) => indent + text);
}

function known({ known }: Assessment, paint: Paint): string[] {
  const lines = (status: KnownFailure['status']) =>
    known.filter((failure) => failure.status === status).map(({ rule, reason }) => line(`${rule}: ${reason}`));
  return [
    ...section('Known failures', lines('fails'), paint),
    ...section('Known failures that pass now: take them off the profile', lines('stale'), paint),
    ...section('Known failures that this run did not judge', named(lines('not-judged'), ''), paint),
  ];
}

function expired({ header }: Run): string[] {
  return (header.expired ?? []).map(({ list, entry, until, reason }) =>
    line(`${list}: ${entry}, until ${until}: ${reason}`),
  );
}

function line(text: string): string {
  return `  ${cutTo(longestLine, oneLine(text))}`;
}

function section(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : ['', paint('title', title), ...lines];
}
