import { fates } from './fate.ts';
import { diffOf } from './mutant.ts';
import { type Count, ratesOf, type Tally } from './tally.ts';
import type { JudgeRow } from './try-judge.ts';
import type { Row } from './try-service.ts';

const heads = ['area', 'mutants', ...fates, 'excused', 'noticed'];

/** The table by area, what survived, and what the list of reasons has to be rid of. */
export function linesOf({ strata, total, newSurvivors, stale }: Tally, gone: readonly string[]): readonly string[] {
  const { noticed, byRule } = ratesOf(total);
  return [
    ...tableOf([heads, ...[...strata, total].map(cellsOf)]),
    '',
    `${total.sampled - total.excused - total.unexcused} of ${total.sampled - total.excused} that no reason excuses were noticed: ${noticed.toFixed(1)} % (goal: at least 95 %), ${byRule.toFixed(1)} % by a rule`,
    ...(newSurvivors.length === 0 ? [] : ['', `${newSurvivors.length} survived, and no reason is written down:`]),
    ...newSurvivors.map(survivorText),
    ...(stale.length === 0 ? [] : ['', 'noticed by now, so that their reason can go:']),
    ...stale.map(({ mutant, by }) => `${diffOf(mutant)}\n  ${by.join('; ')}`),
    ...(gone.length === 0 ? [] : ['', 'reasons for mutants that are gone:', ...gone]),
  ];
}

/** How much of a judge with mistakes the kill matrix notices, and what it does not. */
export function judgeLinesOf(rows: readonly JudgeRow[]): readonly string[] {
  const survivors = rows.filter(({ fate }) => fate === 'survived');
  const names = [...new Set(rows.map(({ mutant }) => mutant.area))].toSorted();
  const counts = (name: string, some: readonly JudgeRow[]): readonly string[] => [
    name,
    ...[some, ...(['noticed', 'fell', 'survived'] as const).map((fate) => some.filter((row) => row.fate === fate))].map(
      ({ length }) => String(length),
    ),
    `${((100 * some.filter(({ fate }) => fate !== 'survived').length) / some.length).toFixed(0)} %`,
  ];
  return [
    ...tableOf([
      ['folder', 'mutants', 'noticed', 'fell', 'survived', 'noticed'],
      ...names.map((name) =>
        counts(
          name,
          rows.filter(({ mutant }) => mutant.area === name),
        ),
      ),
      counts('all', rows),
    ]),
    ...(survivors.length === 0 ? [] : ['', 'not noticed:']),
    ...survivors
      .toSorted((one, other) => Number(one.mutant.id) - Number(other.mutant.id))
      .map(({ mutant, cases }) => `${diffOf(mutant)}\n  ${cases} rules met it`),
  ];
}

function survivorText({ mutant, fate, by, cases }: Row): string {
  const note = [fate === 'survived' ? `${cases} cases met it` : fate, ...by].join('; ');
  return `${diffOf(mutant)}\n  ${note}`;
}

function cellsOf(count: Count): readonly string[] {
  const { name, sampled, byFate, excused } = count;
  return [
    name,
    ...[sampled, ...fates.map((fate) => byFate[fate]), excused].map(String),
    `${ratesOf(count).noticed.toFixed(0)} %`,
  ];
}

function tableOf(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]?.map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
}
