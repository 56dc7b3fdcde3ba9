import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { compare, type Comparison } from '../reports/compare/compare.ts';
import { comparisonMarkdown } from '../reports/compare/markdown.ts';
import { comparisonPage } from '../reports/compare/page.ts';
import { comparisonText } from '../reports/compare/plain.ts';
import { readReport, ReportError } from '../reports/compare/report-file.ts';
import { UsageError } from './usage.ts';

export interface CompareOptions {
  /** File of the page in Markdown. */
  readonly markdown?: string;
  /** File of the page in HTML. */
  readonly html?: string;
}

const regressedExitCode = 1;

/**
 * Lays the report.json of one run over that of another and prints what is different. Resolves with 1 where a rule was kept in the first run and
 * is not in the second, else with 0. @throws {UsageError} a file that is no report.json of this version
 */
export async function compareCommand(before: string, after: string, options: CompareOptions): Promise<number> {
  const comparison = compared(before, after);
  if (options.markdown !== undefined) write(options.markdown, comparisonMarkdown(comparison));
  if (options.html !== undefined) write(options.html, comparisonPage(comparison));
  process.stdout.write(comparisonText(comparison));
  return comparison.regressions.length > 0 ? regressedExitCode : 0;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function compared(before: string, after: string): Comparison {
  try {
    return compare(readReport(before), readReport(after));
  } catch (error) {
    if (error instanceof ReportError) throw new UsageError(error.message);
    throw error;
  }
}
