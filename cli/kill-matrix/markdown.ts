import { catalogue } from '../../suites/catalogue.ts';
import { areas } from '../../contract/areas.ts';
import { inline, inlineCode as code, tableLines as table } from '../../reports/markdown.ts';
import { counted, seconds } from '../../reports/text.ts';
import type { KillMatrix } from './matrix.ts';
import { isSound, type FaultRow } from './verdict.ts';

/** The matrix as a document: the sum, what is wrong, and every fault by area. */
export function matrixMarkdown(matrix: KillMatrix): string {
  const wrong = matrix.faults.filter((row) => !isSound(row));
  const sections = areas.flatMap((area) =>
    section(
      area,
      matrix.faults.filter(({ fault }) => catalogue.get(fault).area === area),
    ),
  );
  return [
    '# Kill matrix of the reference server',
    '',
    `${counted(matrix.faults.length, 'fault')}, ${matrix.counts.killed} killed by the case of their own rule, ${wrong.length} not as they should be; ` +
      `${controlWords(matrix)} ${modeWords[matrix.mode]} (seed ${matrix.seed}, ${counted(matrix.runs, 'run')} a property, ${seconds(matrix.durationMs)}).`,
    '',
    ...(wrong.length === 0 ? [] : ['## Not as it should be', '', rowsOf(wrong), '']),
    ...sections,
  ].join('\n');
}

const modeWords = { own: 'Each fault met the case of its own rule', all: 'Each fault met every case' } as const;

function controlWords({ control }: KillMatrix): string {
  const killed = control.killedBy.length;
  return killed === 0
    ? `the control passed ${counted(control.cases, 'case')}.`
    : `the control was killed by ${counted(killed, 'case')}.`;
}

function section(area: string, rows: readonly FaultRow[]): readonly string[] {
  return rows.length === 0 ? [] : [`## ${area}`, '', rowsOf(rows), ''];
}

function rowsOf(rows: readonly FaultRow[]): string {
  const cells = rows.map((row) => [
    code(row.fault),
    row.verdict,
    inline(row.found),
    row.related.map(code).join(' '),
    row.unrelated.map(({ rule }) => code(rule)).join(' '),
  ]);
  return table(['fault of', 'verdict', 'what its case found', 'related that failed', 'unrelated that failed'], cells);
}
