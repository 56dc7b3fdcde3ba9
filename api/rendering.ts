import { OptionError } from '../contract/option.ts';
import { type FormatName, formatOf } from '../reports/formats.ts';
import { runSummary } from '../reports/run-summary.ts';
import type { Run } from '../reports/run.ts';
import { terminalText } from '../reports/terminal.ts';

/** What `render` gives. @throws {UnknownFormat | OptionError} with the nearest format; nothing that was judged */
export function documentOf(format: FormatName | 'text', outcomes: Run | readonly Run[]): string {
  if (typeof outcomes !== 'object' || outcomes === null)
    throw new OptionError(`render needs what a check came to, or several of these, found ${String(outcomes)}.`);
  const runs = isSeveral(outcomes) ? outcomes : [outcomes];
  if (format === 'text') return runs.map((run) => terminalText(runSummary(run))).join('\n');
  const { write, writeAll } = formatOf(format);
  return isSeveral(outcomes) ? writeAll(outcomes) : write(outcomes);
}

function isSeveral(outcomes: Run | readonly Run[]): outcomes is readonly Run[] {
  return Array.isArray(outcomes);
}
