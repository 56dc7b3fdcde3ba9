import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import { counted, oneLine } from '../text.ts';
import { time } from './figures.ts';
import { loadOf, operationHead, operationRows, sentences } from './rows.ts';

/** The report for a terminal, without colour. */
export function trafficText(report: TrafficReport): string {
  const rows = [operationHead, ...operationRows(report)].map((row) => row.map(oneLine));
  const widths = operationHead.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  );
  const broken = report.violations.map(({ rule, expected, actual, count, curl }) =>
    [
      `  ${rule} (${count} times)`,
      `    expected  ${oneLine(expected)}`,
      `    found     ${oneLine(actual)}`,
      ...(curl === undefined ? [] : [`    ${oneLine(curl)}`]),
    ].join('\n'),
  );
  const made = `${loadOf(report)}, by ${counted(report.workers, 'worker')}, for ${time(report.durationMs)}; seed ${report.seed}.`;
  return `${[...table, '', ...broken, ...(broken.length > 0 ? [''] : []), made, ...sentences(report).map(oneLine)].join('\n')}\n`;
}

/** Names to the left, figures to the right; the last column is text again. */
function padded(cell: string, width: number, column: number): string {
  return column === 0 || column === operationHead.length - 1 ? cell.padEnd(width) : cell.padStart(width);
}
