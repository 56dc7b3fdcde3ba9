import { styleText } from 'node:util';
import type { State } from '../../contract/schemas/report.ts';
import type { Outcome, Verdict } from '../../judge/outcome.ts';
import { apartSentence } from '../apart.ts';
import { assess, type Assessment, inState, type KnownFailure, type Standing } from '../assessment.ts';
import { type SummaryRow, summaryTable } from '../columns.ts';
import { exitWords } from '../exit.ts';
import { groupedByReason, remarksOf } from '../grouping.ts';
import type { Run } from '../run.ts';
import { counted, cutTo, oneLine, printable, seconds } from '../text.ts';
import { variablesOf } from '../variables.ts';
import { factsOf } from '../violation.ts';

/** Where the console goes; `columns` as terminals know it. */
type ConsoleStream = NodeJS.WritableStream & { readonly columns?: number };

const styles = { title: 'bold', good: 'green', bad: 'red', caution: 'yellow', faint: 'dim' } as const;

/** Colours a text of ours for its role, or leaves it as it is where the stream or the environment wants no colours. */
type Paint = (role: keyof typeof styles, text: string) => string;

const longestFact = 4000;

const longestLine = 600;

const namedRules = 8;

const labelWidth = 10;

interface Progress {
  readonly onOutcome: (outcome: Outcome) => void;
  /** Takes the line away that was written over and over. */
  readonly clear: () => void;
}

const widthUnlessKnown = 80;

const startOfLine = '\r\u001B[2K';

const alarmWords = { fail: 'failed', warn: 'warned', broken: 'broken', blocked: 'blocked' } as const;

const roles: Readonly<Partial<Record<State, 'good' | 'bad' | 'caution'>>> = {
  pass: 'good',
  fail: 'bad',
  warn: 'caution',
  blocked: 'caution',
  broken: 'bad',
  'not-run': 'bad',
};

export interface ConsoleOptions {
  readonly stream: ConsoleStream;
  /** Only the summary and the last line are printed. */
  readonly quiet: boolean;
  /** Whether the stream is a terminal, on which one line can be written over and over. */
  readonly tty: boolean;
  /** Outcomes to come. */
  readonly total: number;
}

export interface RunConsole {
  /** Called once an outcome, as it comes. */
  readonly onOutcome: (outcome: Outcome) => void;
  /** Prints summary and findings. `exit` is the exit code of the process. */
  readonly finish: (run: Run, exit: number) => void;
}

/** Shows a run while it goes on, and what it found when it ends. Colours follow NO_COLOR, FORCE_COLOR and the stream. */
export function startConsole({ stream, quiet, tty, total }: ConsoleOptions): RunConsole {
  const progress = quiet ? undefined : startProgress(stream, tty, total);
  return {
    onOutcome: (outcome) => progress?.onOutcome(outcome),
    finish: (run, exit) => {
      progress?.clear();
      stream.write(`${consoleText(run, exit, stream, quiet)}\n`);
    },
  };
}

function consoleText(run: Run, exit: number, stream: ConsoleStream, quiet: boolean): string {
  const paint = paintFor(stream);
  const assessment = assess(run);
  return [
    ...summaryLines(run, assessment, paint),
    ...(quiet ? [] : findingLines(run, assessment, paint)),
    '',
    ...(run.notes ?? []).map((note) => `Note: ${printable(note)}`),
    closingLine(run),
    paint(exit === 0 ? 'good' : 'bad', `Exit ${exit}: ${printable(exitWords(run, exit))}.`),
  ].join('\n');
}

function closingLine({ footer }: Run): string {
  return footer === undefined
    ? 'The run was cut off: wall time unknown.'
    : `${counted(footer.requests, 'request')} in ${seconds(footer.durationMs)}.`;
}

/** Head and table by area. */
function summaryLines(run: Run, assessment: Assessment, paint: Paint): string[] {
  const { header } = run;
  const apart = apartSentence(run, assessment);
  const { titles, rows, total } = summaryTable(assessment);
  const first = Math.max(...[...rows, total].map(({ name }) => name.length), 'area'.length);
  const head = titles.map((title, index) => (index === 0 ? title.padEnd(first) : `  ${title}`)).join('');
  const row = ({ name, cells }: SummaryRow) =>
    name.padEnd(first) +
    cells.map(({ state, count }, index) => `  ${cell(state, count, titles[index + 1] ?? '', paint)}`).join('');
  return [
    paint('title', printable(`${header.implementation} at ${header.baseUrl}, seed ${header.seed}`)),
    '',
    paint('faint', head),
    ...rows.map(row),
    row(total),
    ...(apart === undefined ? [] : ['', apart]),
  ];
}

function cell(state: State, count: number, title: string, paint: Paint): string {
  const text = (count === 0 ? '-' : String(count)).padStart(title.length);
  const role = roles[state];
  return count === 0 || role === undefined ? text : paint(role, text);
}

/** One updating line on a terminal, else a line every tenth of the run. */
function startProgress(stream: ConsoleStream, tty: boolean, total: number): Progress {
  const step = tty ? 1 : Math.max(10, Math.ceil(total / 10));
  const seen = new Map<Verdict, number>();
  let done = 0;
  return {
    onOutcome: ({ rule, verdict }) => {
      done += 1;
      seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
      if (done % step !== 0 && done !== total) return;
      stream.write(
        tty ? updating(`${stateOf(done, total, seen)}  ${rule}`, stream) : `${stateOf(done, total, seen)}\n`,
      );
    },
    clear: () => {
      if (tty && done > 0) stream.write(startOfLine);
    },
  };
}

function updating(text: string, stream: ConsoleStream): string {
  const width = stream.columns ?? widthUnlessKnown;
  return `${startOfLine}${text.slice(0, Math.max(0, width - 1))}`;
}

function stateOf(done: number, total: number, seen: ReadonlyMap<Verdict, number>): string {
  const alarms = (['fail', 'warn', 'broken', 'blocked'] as const).flatMap((verdict) => {
    const count = seen.get(verdict) ?? 0;
    return count === 0 ? [] : [`${count} ${alarmWords[verdict]}`];
  });
  return [`${done} of ${counted(total, 'rule')}`, ...alarms].join(', ');
}

/** Everything that needs a reader, the worst first. */
function findingLines(run: Run, assessment: Assessment, paint: Paint): string[] {
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

function paintFor(stream: ConsoleStream): Paint {
  return (role, text) => styleText(styles[role], text, { stream });
}
