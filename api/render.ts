import { type FormatName, formatOf } from '../reports/formats.ts';
import { runSummary } from '../reports/run-summary.ts';
import type { Run } from '../reports/run.ts';
import { terminalText } from '../reports/terminal.ts';

/**
 * A document about a run, or one about several: `text` for a terminal, `markdown`, `html`, `json`, `junit`, `sarif`, `ctrf`, `badge` (SVG) and
 * `badge-json`. No secret of a profile is in it. @throws {UnknownFormat} with the nearest format
 */
export function render(format: FormatName | 'text', outcomes: Run | readonly Run[]): string {
  const runs = isSeveral(outcomes) ? outcomes : [outcomes];
  if (format === 'text') return runs.map((run) => terminalText(runSummary(run))).join('\n');
  const { write, writeAll } = formatOf(format);
  return isSeveral(outcomes) ? writeAll(outcomes) : write(outcomes);
}

function isSeveral(outcomes: Run | readonly Run[]): outcomes is readonly Run[] {
  return Array.isArray(outcomes);
}
