import type { State } from '../contract/schemas/report.ts';
import { selectedAreas, type Assessment, type Counts } from './assessment.ts';

/** Columns of the summary, in reading order. */
const columns: readonly (readonly [State, string])[] = [
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['warn', 'warned'],
  ['observed', 'observed'],
  ['blocked', 'blocked'],
  ['broken', 'broken'],
];
const rareColumns: readonly (readonly [State, string])[] = [
  ['not-run', 'not run'],
  ['not-selected', 'not selected'],
];

/** One row of the summary: an area or the total. */
export interface SummaryRow {
  readonly name: string;
  readonly cells: readonly { readonly state: State; readonly count: number }[];
}

/** The summary by area as a table: titles, one row an area of which something was selected, and the total of these. */
export function summaryTable(assessment: Assessment): {
  titles: readonly string[];
  rows: readonly SummaryRow[];
  total: SummaryRow;
} {
  const areas = selectedAreas(assessment);
  const rare = rareColumns.filter(([state]) => areas.some((area) => area[state] > 0));
  const shown = [...columns, ...rare];
  return {
    titles: ['area', ...shown.map(([, title]) => title)],
    rows: areas.map((area) => ({ name: area.area, cells: shown.map(([state]) => ({ state, count: area[state] })) })),
    total: { name: 'total', cells: shown.map(([state]) => ({ state, count: sumOf(areas, state) })) },
  };
}

function sumOf(areas: readonly Counts[], state: State): number {
  return areas.reduce((sum, area) => sum + area[state], 0);
}
