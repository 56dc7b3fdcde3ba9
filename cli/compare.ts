import { compare, type Comparison, comparisonReport } from '../reports/comparison.ts';
import { markdownText } from '../reports/markdown.ts';
import { pageText } from '../reports/page/page.ts';
import { readReport, ReportError } from '../reports/report-file.ts';
import { terminalText } from '../reports/terminal.ts';
import { asUsage } from './usage.ts';
import { writeDocument } from './make-folder.ts';
import { incompleteExitCode } from './exit-codes.ts';

export interface CompareOptions {
  /** File of the page in Markdown. */
  readonly markdown?: string;
  /** File of the page in HTML. */
  readonly html?: string;
  /** Rules that the second run did not select are no regressions. */
  readonly allowGone?: true;
}

const regressedExitCode = 1;

/**
 * Lays the report.json of one run over that of another and prints what is different. Resolves with 1 where a rule was kept in the first run and
 * is not in the second, or was judged in the first alone; with 3 where the second run lost what the first one judged, or judged nothing; else with 0. @throws {UsageError} a file that is no report.json of this version
 */
export async function compareCommand(before: string, after: string, options: CompareOptions): Promise<number> {
  const comparison = compareFiles(before, after);
  const report = comparisonReport(comparison);
  if (options.markdown !== undefined) writeDocument(options.markdown, markdownText(report));
  if (options.html !== undefined) writeDocument(options.html, pageText(report.title, [report]));
  process.stdout.write(terminalText(report));
  return exitCodeOf(comparison, options);
}

function exitCodeOf({ regressions, gone, lost, after }: Comparison, { allowGone }: CompareOptions): number {
  if (regressions.length > 0 || (gone.length > 0 && allowGone !== true)) return regressedExitCode;
  const { pass, fail, warn, observed } = after.totals;
  return lost.length > 0 || pass + fail + warn + observed === 0 ? incompleteExitCode : 0;
}

function compareFiles(before: string, after: string): Comparison {
  try {
    return compare(readReport(before), readReport(after));
  } catch (error) {
    throw asUsage(error, ReportError);
  }
}
