import { apartSentence } from '../apart.ts';
import { assess, type Assessment } from '../assessment.ts';
import { summaryTable } from '../columns.ts';
import { exitOf } from '../exit.ts';
import type { Run } from '../run.ts';
import { counted, seconds } from '../text.ts';
import { fitted, type Part } from './fit.ts';
import { findingParts } from './findings.ts';
import { code, inline, table } from './text.ts';

/** A step summary of GitHub takes no more than 1 MiB; the rest is for what else a step writes there. */
const mostBytes = 1_000_000;

/** A page of one run that fits a step summary: the table by area, then what needs a reader. */
export function writeMarkdown(run: Run): string {
  return writeMarkdownOfAll([run]);
}

/** One page with a section a run; every run gets the same share of the space. */
export function writeMarkdownOfAll(runs: readonly Run[]): string {
  const share = Math.floor(mostBytes / Math.max(1, runs.length));
  return `${runs.map((run) => fitted(partsOf(run), share)).join('\n\n')}\n`;
}

function partsOf(run: Run): Part[] {
  const assessment = assess(run);
  return [
    { name: 'the head', text: headOf(run, assessment) },
    { name: 'the summary by area', text: summaryOf(run, assessment) },
    ...findingParts(run, assessment),
  ];
}

function headOf(run: Run, assessment: Assessment): string {
  const { header } = run;
  const { code: exitCode, words } = exitOf(run, assessment);
  return [
    `## Conformance of ${inline(header.implementation)}`,
    `**Exit ${exitCode}**: ${inline(words)}.`,
    `Judged at ${code(header.baseUrl)}, started ${inline(header.startedAt)}, ${endOf(run)}, by version ${inline(header.suiteVersion)}.`,
    `Again: ${code(header.command)}`,
    ...(run.notes ?? []).map((note) => `Note: ${inline(note)}`),
  ].join('\n\n');
}

function endOf({ footer }: Run): string {
  return footer === undefined
    ? 'cut off before its end'
    : `${counted(footer.requests, 'request')} in ${seconds(footer.durationMs)}`;
}

function summaryOf(run: Run, assessment: Assessment): string {
  const apart = apartSentence(run, assessment);
  const { titles, rows, total } = summaryTable(assessment);
  const bold = [`**${total.name}**`, ...total.cells.map(({ count }) => `**${count}**`)];
  const counts = table(
    titles,
    [...rows.map(({ name, cells }) => [name, ...cells.map(({ count }) => String(count))]), bold],
    1,
  );
  return apart === undefined ? counts : `${counts}\n\n${apart}`;
}
