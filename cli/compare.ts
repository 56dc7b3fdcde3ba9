import { stdout, writeDocument } from './outlet.ts';
import type { Report } from '../contract/schemas/report.ts';
import { isJudged } from '../reports/assessment.ts';
import { compare, type Comparison, comparisonReport } from '../reports/comparison.ts';
import { markdownText } from '../reports/markdown.ts';
import { pageText } from '../reports/page/page.ts';
import { readReport, ReportError, withIdsOfToday } from '../reports/report-file.ts';
import { terminalText } from '../reports/terminal.ts';
import { usable } from './usage.ts';
import { assertOthers } from './make-folder.ts';
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
 * is not in the second, or was judged in the first alone; with 3 where the second run lost what the first one judged, or one of them judged nothing; else with 0. @throws {UsageError} a file that is no report.json of this version
 */
export async function compareCommand(before: string, after: string, options: CompareOptions): Promise<number> {
  assertOthers([options.markdown, options.html], [before, after]);
  const read = (file: string): Report => withIdsOfToday(usable(() => readReport(file), ReportError));
  const comparison = compare(read(before), read(after));
  const report = comparisonReport(comparison);
  if (options.markdown !== undefined) writeDocument(options.markdown, markdownText(report));
  if (options.html !== undefined) writeDocument(options.html, pageText(report.title, [report]));
  stdout.write(terminalText(report));
  return exitCodeOf(comparison, options);
}

function exitCodeOf({ regressions, gone, lost, before, after }: Comparison, { allowGone }: CompareOptions): number {
  if (regressions.length > 0 || (gone.length > 0 && allowGone !== true)) return regressedExitCode;
  return lost.length > 0 || !hasJudged(before) || !hasJudged(after) ? incompleteExitCode : 0;
}

/** By its rules: totals are what the file says of itself. */
function hasJudged({ rules }: Report): boolean {
  return rules.some(({ state }) => isJudged(state));
}
