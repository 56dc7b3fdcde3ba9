import { assess } from '../assessment.ts';
import { summaryTable } from '../columns.ts';
import { exitOf } from '../exit.ts';
import { findingParts } from '../markdown/findings.ts';
import { code, inline, table } from '../markdown/text.ts';
import type { Run } from '../run.ts';
import { settled } from './settled.ts';

/** The result of a run as a page that is the same after every run that found the same: without times, addresses and what was sent twice. */
export function lastingResult(run: Run): string {
  const { rules, header, outcomes, footer } = run;
  const lasting: Run = {
    rules,
    header: { ...header, variables: {} },
    outcomes: outcomes.map(({ retries: _sentAgain, ...outcome }) => ({
      ...outcome,
      observations: [],
      remarks: outcome.remarks.map(settled),
    })),
    ...(footer !== undefined && { footer: { ...footer, durationMs: 0, requests: 0 } }),
  };
  const assessment = assess(lasting);
  const { code: exitCode, words } = exitOf(lasting, assessment);
  const { titles, rows, total } = summaryTable(assessment);
  return [
    `# Conformance of ${inline(header.implementation)}`,
    `**Exit ${exitCode}**: ${inline(words)}.`,
    `By version ${inline(header.suiteVersion)}, again with ${code(header.command)}. What it does where the documents are silent stands in [fingerprint.md](fingerprint.md), what the suite notices in [kill-matrix.md](kill-matrix.md).`,
    table(
      titles,
      [...rows, total].map(({ name, cells }) => [name, ...cells.map(({ count }) => String(count))]),
      1,
    ),
    ...findingParts(lasting, assessment).map(({ text }) => text),
    '',
  ].join('\n\n');
}
