import type { State } from '../../contract/schemas/report.ts';
import { apartSentence } from '../apart.ts';
import type { Assessment } from '../assessment.ts';
import { summaryTable, type SummaryRow } from '../columns.ts';
import type { Run } from '../run.ts';
import { printable } from '../text.ts';
import type { Paint } from './paint.ts';

const roles: Readonly<Partial<Record<State, 'good' | 'bad' | 'caution'>>> = {
  pass: 'good',
  fail: 'bad',
  warn: 'caution',
  blocked: 'caution',
  broken: 'bad',
  'not-run': 'bad',
};

/** Head and table by area. */
export function summaryLines(run: Run, assessment: Assessment, paint: Paint): string[] {
  const { header } = run;
  const apart = apartSentence(run, assessment);
  const { titles, rows, total } = summaryTable(assessment);
  const first = Math.max(...[...rows, total].map(({ name }) => name.length), 'area'.length);
  const head = titles.map((title, index) => (index === 0 ? title.padEnd(first) : `  ${title}`)).join('');
  const row = ({ name, cells }: SummaryRow) =>
    name.padEnd(first) +
    cells.map(({ state, count }, index) => `  ${cell(state, count, titles[index + 1] ?? '', paint)}`).join('');
  return [
    paint('title', printable(`${header.implementation} at ${header.baseUrl}, seed ${header.seed}`)),
    '',
    paint('faint', head),
    ...rows.map(row),
    row(total),
    ...(apart === undefined ? [] : ['', apart]),
  ];
}

function cell(state: State, count: number, title: string, paint: Paint): string {
  const text = (count === 0 ? '-' : String(count)).padStart(title.length);
  const role = roles[state];
  return count === 0 || role === undefined ? text : paint(role, text);
}
