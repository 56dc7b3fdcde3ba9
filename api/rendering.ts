import { type FormatName, formatOf } from '../reports/formats.ts';
import { runSummary } from '../reports/run-summary.ts';
import type { Run } from '../reports/run.ts';
import { terminalText } from '../reports/terminal.ts';

/** What `render` gives. @throws {UnknownFormat} with the nearest format */
export function documentOf(format: FormatName | 'text', outcomes: Run | readonly Run[]): string {
  const runs = isSeveral(outcomes) ? outcomes : [outcomes];
  if (format === 'text') return runs.map((run) => terminalText(runSummary(run))).join('\n');
  const { write, writeAll } = formatOf(format);
  return isSeveral(outcomes) ? writeAll(outcomes) : write(outcomes);
}

function isSeveral(outcomes: Run | readonly Run[]): outcomes is readonly Run[] {
  return Array.isArray(outcomes);
}
