import { catalogue } from '../../suites/catalogue.ts';
import { areas } from '../../contract/areas.ts';
import { counted, printable, seconds } from '../../reports/text.ts';
import type { ControlKill, KillMatrix } from './matrix.ts';
import { isSound, type FaultRow } from './verdict.ts';

/** The matrix for a terminal: numbers by area, then everything that is not as it should be. */
export function matrixLines(matrix: KillMatrix): readonly string[] {
  const { control, faults, counts, durationMs } = matrix;
  return [
    ...areas.flatMap((area) =>
      areaLine(
        area,
        faults.filter(({ fault }) => catalogue.get(fault).area === area),
      ),
    ),
    '',
    ...faults.filter((row) => !isSound(row)).flatMap(rowLines),
    ...control.killedBy.map(controlLine),
    `Control: ${counted(control.cases, 'case')}, ${control.killedBy.length} not passed.`,
    `${counted(faults.length, 'fault')}: ${counts.killed} killed, ${counts['killed-by-other']} killed by another case only, ` +
      `${counts.survived} survived, ${counts.unjudged} not judged, ${counts.unrelated} hit an unrelated rule; ${seconds(durationMs)}.`,
  ];
}

function areaLine(area: string, rows: readonly FaultRow[]): readonly string[] {
  const killed = rows.filter((row) => row.verdict === 'killed').length;
  return rows.length === 0
    ? []
    : [`${area.padEnd(14)} ${String(killed).padStart(3)} of ${String(rows.length).padStart(3)} killed`];
}

function rowLines({ fault, verdict, own, found, unrelated }: FaultRow): readonly string[] {
  const lines = verdict === 'killed' ? [] : [`${fault}: ${verdict} (its case: ${own}) ${printable(found)}`];
  return [
    ...lines,
    ...unrelated.map((stray) => `${fault}: also fails the unrelated ${stray.rule}: ${printable(stray.found)}`),
  ];
}

function controlLine({ rule, verdict, found }: ControlKill): string {
  return `control: ${rule} is ${verdict}: ${printable(found)}`;
}
