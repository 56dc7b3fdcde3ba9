import type { Report } from '../../contract/schemas/report.ts';
import { counted, oneLine } from '../text.ts';
import type { Change, Comparison } from './compare.ts';

/** A group of changed verdicts, as every form of the comparison shows it. */
export interface Group {
  readonly title: string;
  readonly changes: readonly Change[];
}

/** The groups that are not empty, the worst first. */
export function groupsOf({ regressions, repairs, others, added, gone }: Comparison): readonly Group[] {
  const groups: readonly Group[] = [
    { title: 'Regressions: kept before, and no longer', changes: regressions },
    { title: 'Repairs: kept now', changes: repairs },
    { title: 'Other verdicts, kept in neither run', changes: others },
    { title: 'New: judged in the second run only', changes: added },
    { title: 'Gone: judged in the first run only', changes: gone },
  ];
  return groups.filter(({ changes }) => changes.length > 0);
}

/** Which run that is. */
export function runWords({ implementation, baseUrl, startedAt, suiteVersion, seed, complete }: Report): string {
  return oneLine(
    `${implementation} at ${baseUrl}, ${startedAt}, version ${suiteVersion}, seed ${seed}${complete ? '' : ', not complete'}`,
  );
}

/** The comparison in one sentence: what counts for the exit code, and the rest. */
export function verdictWords({ regressions, repairs, others, added, gone, differences }: Comparison): string {
  return [
    counted(regressions.length, 'regression'),
    counted(repairs.length, 'repair'),
    `${others.length} otherwise changed`,
    `${added.length} new`,
    `${gone.length} gone`,
    `${counted(differences.length, 'difference')} where the documents are silent`,
  ].join(', ');
}

/** What the comparison counts as a regression. */
export const regressionWords =
  'A regression is a rule that passed or was observed in the first run and is failed, warned, blocked, broken or not run in the second; regressions alone end with 1.';

/** What was seen, or that nothing was. */
export function seenWords(seen: readonly string[]): string {
  return seen.length === 0 ? 'nothing noted' : seen.join(' or ');
}
