import { Clean, appendText, stdout, tell, writeDocument } from '../outlet.ts';
import { statSync } from 'node:fs';
import { codeOf, messageOf } from '../../contract/thrown.ts';
import type { CheckOptions, ReportRequest } from '../options.ts';
import { printed, reportsIn, viewStream } from './place.ts';
import type { RunHeader } from '../../judge/outcome.ts';
import { assess } from '../../reports/assessment.ts';
import { entriesOf, type Entry } from '../../reports/entries.ts';
import { formats, writeMarkdown } from '../../reports/formats.ts';
import type { Run } from '../../reports/run.ts';
import { counted, cutTo, oneLine } from '../../reports/text.ts';

/** Where a run says how it went on GitHub: the environment that Actions sets, and the log of the step. */
interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly write: (text: Clean<string>) => void;
  /** For what could not be done, a sentence. */
  readonly complain: (sentence: string) => void;
}

/** Most lines that annotate what is red; GitHub shows ten of a step. */
const mostErrors = 10;

const longestMessage = 500;

/** What a step may write into its summary, in bytes. */
const summaryLimit = 1024 * 1024;

/** The run without a secret; its rules hold nothing of a target. */
export function cleanRun({ rules, ...run }: Run): Clean<Run> {
  return Clean.of(run).map((told) => ({ rules, ...told }));
}

type Places = Pick<CheckOptions, 'out' | 'report' | 'json'>;

/** What was written of a run. */
interface Written {
  /** As the reports have it, and whoever watches is to hear it. */
  readonly told: Clean<Run>;
  /** A sentence for each thing that could not be written. */
  readonly failed: readonly string[];
}

/**
 * Writes the reports that every run leaves in its folder, and those asked for by name; in a step of GitHub Actions it says there how the run
 * went. Where one cannot be written, the others are there and say so, as the exit code does.
 * @param lost a sentence for each thing that could not be written before
 */
export function writeReports(run: Clean<Run>, places: Places, lost: readonly string[] = []): Written {
  const { files, prints } = asked(places);
  const first = withoutPart(run, lost);
  const failures = writeDocuments(first, files);
  const failed = [...lost, ...failures.map(({ sentence }) => sentence)];
  const told = withoutPart(run, failed);
  const unwritten = failures.map(({ file }) => file);
  if (lost.length === 0 && failed.length > 0)
    writeDocuments(
      told,
      files.filter(({ file }) => !unwritten.includes(file)),
    );
  for (const { format } of prints) stdout.write(told.map(formats[format].write));
  announceOnGithub(told, {
    env: process.env,
    write: (text) => viewStream(places).write(text),
    complain: (sentence) => tell(sentence),
  });
  return { told, failed };
}

function asked({ out, report = [] }: Places): Readonly<Record<'files' | 'prints', readonly ReportRequest[]>> {
  return {
    files: [...reportsIn(out), ...report.filter(({ file }) => file !== printed)],
    prints: report.filter(({ file }) => file === printed),
  };
}

/** The run as one that lacks what the first sentence says, where there is one. */
function withoutPart(run: Clean<Run>, [sentence]: readonly string[]): Clean<Run> {
  if (sentence === undefined) return run;
  return run.map((told) =>
    told.footer === undefined ? told : { ...told, footer: { aborted: sentence, ...told.footer } },
  );
}

/** The same reports of a run that has just begun: they say that it did not end, until others take their place. */
export function writeUnderWay(header: RunHeader, rules: Run['rules'], places: Places): void {
  const notes = ['this run is under way, or was killed before its end'];
  writeDocuments(cleanRun({ rules, header, outcomes: [], notes }), asked(places).files);
}

function writeDocuments(
  run: Clean<Run>,
  reports: readonly ReportRequest[],
): readonly { readonly file: string; readonly sentence: string }[] {
  return reports.flatMap(({ format, file }) => {
    try {
      writeDocument(file, run.map(formats[format].write));
      return [];
    } catch (error) {
      return [{ file, sentence: `the report ${file} cannot be written (${codeOf(error)})` }];
    }
  });
}

/** In a step of GitHub Actions: the page into the summary of the step, and failures as annotations. Elsewhere nothing. */
export function announceOnGithub(run: Clean<Run>, { env, write, complain }: Surroundings): void {
  const summary = env['GITHUB_STEP_SUMMARY'] ?? '';
  if (summary !== '') append(summary, run.map(writeMarkdown), complain);
  if (env['GITHUB_ACTIONS'] === 'true')
    write(
      run.map((told) =>
        annotationsOf(told)
          .map((line) => `${line}\n`)
          .join(''),
      ),
    );
}

/** What does not fit is named: a summary over the limit is refused as a whole. */
function append(file: string, page: Clean<string>, complain: Surroundings['complain']): void {
  try {
    const held = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    const fits = held + Buffer.byteLength(page.value) + 1 <= summaryLimit;
    if (fits)
      appendText(
        file,
        page.map((text) => `${text}\n`),
      );
    else
      complain(
        `the summary of this step is full (${held} of ${summaryLimit} bytes); read report.md in the folder of the run`,
      );
  } catch (error) {
    complain(`the summary of this step cannot be written: ${messageOf(error)}`);
  }
}

function annotationsOf(run: Run): string[] {
  const entries = entriesOf(run, assess(run));
  const gaps = entries.filter(({ kind }) => kind === 'error');
  // why the run as a whole says nothing is why hundreds of rules were not run
  const errors = [...gaps.filter(({ group }) => group === 'run'), ...gaps.filter(({ group }) => group !== 'run')];
  const failures = entries.filter(isFailure);
  const shown = [...failures, ...errors].slice(0, mostErrors);
  const more = [
    [failures.length - shown.filter(isFailure).length, 'failure'] as const,
    [errors.length - shown.filter((entry) => !isFailure(entry)).length, 'gap'] as const,
  ].filter(([count]) => count > 0);
  const rest = more.map(([count, word]) => counted(count, `more ${word}`)).join(' and ');
  return [
    ...shown.map((entry) => error(entry.group === 'run' ? 'the run' : entry.name, wordsOf(entry))),
    ...(rest === '' ? [] : [error('svc-conformance', `${rest}; the reports hold all of them`)]),
  ];
}

function isFailure({ kind }: Entry): boolean {
  return kind === 'failure';
}

function wordsOf({ standing, type, message }: Entry): string {
  const { violation } = standing?.outcome ?? {};
  if (standing === undefined || violation === undefined) return `${type}: ${short(message)}`;
  return `${standing.rule.statement} Expected: ${short(violation.expected)}; actual: ${short(violation.actual)}`;
}

function short(text: string): string {
  return cutTo(longestMessage, oneLine(text));
}

/** An error of a workflow, as a command of it. Source: the toolkit of GitHub Actions, where `%`, line ends and, in properties, `:` and `,` are escaped. */
function error(title: string, message: string): string {
  return `::error title=${escaped(title, /[%\r\n:,]/g)}::${escaped(message, /[%\r\n]/g)}`;
}

function escaped(text: string, structural: RegExp): string {
  return text.replace(
    structural,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
