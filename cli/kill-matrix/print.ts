import { areas } from '../../contract/areas.ts';
import type { RuleId } from '../../contract/rule.ts';
import { inline, inlineCode as code, tableLines as table } from '../../reports/markdown.ts';
import { counted, printable, seconds } from '../../reports/text.ts';
import { catalogue } from '../../suites/catalogue.ts';
import {
  isSound,
  isStray,
  type ControlKill,
  type FaultRow,
  type KillMatrix,
  type PublishedFault,
  type PublishedMatrix,
} from './matrix.ts';

/** The matrix for a terminal: numbers by area, what differs from the published one, then everything that is not as it should be. */
export function matrixLines(matrix: KillMatrix): readonly string[] {
  const { control, faults, counts, durationMs } = matrix;
  const changes = faults.flatMap(changeLine);
  return [
    ...areas.flatMap((area) =>
      areaLine(
        area,
        faults.filter(({ fault }) => areaOf(fault) === area),
      ),
    ),
    '',
    ...changes,
    ...(changes.length === 0 ? [] : ['What is right of this is accepted with faults --all --publish.', '']),
    ...faults.filter((row) => !isSound(row)).flatMap(wrongLines),
    ...control.killedBy.map(controlLine),
    `Control: ${counted(control.cases, 'case')}, ${control.killedBy.length} not passed.`,
    `${counted(faults.length, 'fault')}: ${counts.killed} killed, ${counts['killed-by-other']} killed by another case only, ` +
      `${counts.survived} survived, ${counts.unjudged} not judged, ${counts.strayed} hit another area anew; ${seconds(durationMs)}.`,
  ];
}

function areaOf(rule: RuleId): string {
  return catalogue.get(rule).area;
}

function areaLine(area: string, rows: readonly FaultRow[]): readonly string[] {
  const killed = rows.filter((row) => row.verdict === 'killed').length;
  return rows.length === 0
    ? []
    : [`${area.padEnd(14)} ${String(killed).padStart(3)} of ${String(rows.length).padStart(3)} killed`];
}

function changeLine({ fault, appeared, vanished }: FaultRow): readonly string[] {
  const signs = [
    ...appeared.map(({ rule, repeated }) => `+ ${rule}${repeated ? '' : ' (in one of two tries)'}`),
    ...vanished.map((rule) => `- ${rule}`),
  ];
  return signs.length === 0 ? [] : [`${fault}: collateral changed: ${signs.join(', ')}`];
}

function wrongLines({ fault, verdict, own, found, appeared }: FaultRow): readonly string[] {
  const lines = verdict === 'killed' ? [] : [`${fault}: ${verdict} (its case: ${own}) ${printable(found)}`];
  const strays = appeared.filter((stray) => isStray(fault, stray));
  return [
    ...lines,
    ...strays.map((stray) => `${fault}: also fails ${stray.rule} of another area: ${printable(stray.found)}`),
  ];
}

function controlLine({ rule, verdict, found }: ControlKill): string {
  return `control: ${rule} is ${verdict}: ${printable(found)}`;
}

/** What is published as a document: the sum, what is wrong, and every fault by area. */
export function matrixMarkdown({ faults }: PublishedMatrix): string {
  const rows = catalogue.all.flatMap(({ id }) => {
    const fault = faults[id];
    return fault === undefined ? [] : [{ id, ...fault }];
  });
  const wrong = rows.filter(({ verdict }) => verdict !== 'killed');
  return [
    '# Kill matrix of the reference server',
    '',
    `${counted(rows.length, 'fault')}, ${rows.length - wrong.length} killed by the case of their own rule, ${wrong.length} not as they should be. ` +
      'The last column holds the other rules that fail with a fault when it meets every case.',
    '',
    ...section('Not as it should be', wrong),
    ...areas.flatMap((area) =>
      section(
        area,
        rows.filter(({ id }) => areaOf(id) === area),
      ),
    ),
  ].join('\n');
}

function section(title: string, rows: readonly (PublishedFault & { readonly id: RuleId })[]): readonly string[] {
  if (rows.length === 0) return [];
  const cells = rows.map(({ id, verdict, found, collateral }) => [
    code(id),
    verdict,
    inline(found),
    collateral.map(code).join(' '),
  ]);
  return [`## ${title}`, '', table(['fault of', 'verdict', 'what its case found', 'fails with it'], cells), ''];
}
