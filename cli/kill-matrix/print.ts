import { areas } from '../../contract/areas.ts';
import type { RuleId } from '../../contract/rule.ts';
import { type Block, code, type Document, tableSection } from '../../reports/document.ts';
import { markdownText } from '../../reports/markdown.ts';
import { counted, seconds } from '../../reports/text.ts';
import { catalogue } from '../../suites/catalogue.ts';
import {
  exitCodeOfMatrix,
  isSound,
  isStray,
  type FaultRow,
  type KillMatrix,
  type PublishedFault,
  type PublishedMatrix,
} from './matrix.ts';

/** The matrix for a terminal: numbers by area, what differs from the published one, then everything that is not as it should be. */
export function matrixReport(matrix: KillMatrix): Document {
  const { control, faults, counts, durationMs } = matrix;
  const titles = ['fault', 'what it does'];
  const changes = faults.flatMap(changeRow);
  return {
    title: `Kill matrix of ${counted(faults.length, 'fault')}`,
    verdict: [
      `Control: ${counted(control.cases, 'case')}, ${control.killedBy.length} not passed.`,
      `${counted(faults.length, 'fault')}: ${counts.killed} killed, ${counts['killed-by-other']} killed by another case only, ` +
        `${counts.survived} survived, ${counts.unjudged} not judged, ${counts.strayed} hit another area anew, ${counts.stumbled} broke a case; ${seconds(durationMs)}.`,
    ],
    exitCode: exitCodeOfMatrix(matrix),
    about: [],
    body: [
      {
        kind: 'table',
        titles: ['area', 'killed', 'of'],
        rows: areas.flatMap((area) => areaRow(area, faults)),
        numbers: [1, 2],
      },
      ...tableSection('Collateral changed; what is right of this is accepted with faults --all --publish', {
        titles,
        rows: changes,
      }),
      ...tableSection('Not as it should be', {
        titles,
        rows: faults.filter((row) => !isSound(row)).flatMap(wrongRows),
      }),
      ...tableSection('Not passed without a fault', {
        titles: ['rule', 'verdict', 'found'],
        rows: control.killedBy.map(({ rule, verdict, found }) => [rule, verdict, found]),
      }),
    ],
  };
}

function areaOf(rule: RuleId): string {
  return catalogue.get(rule).area;
}

function areaRow(area: string, faults: readonly FaultRow[]): readonly (readonly string[])[] {
  const rows = faults.filter(({ fault }) => areaOf(fault) === area);
  const killed = rows.filter(({ verdict }) => verdict === 'killed');
  return rows.length === 0 ? [] : [[area, String(killed.length), String(rows.length)]];
}

function changeRow({ fault, appeared, vanished }: FaultRow): readonly (readonly string[])[] {
  const signs = [
    ...appeared.map(({ rule, repeated }) => `+ ${rule}${repeated ? '' : ' (in one of two tries)'}`),
    ...vanished.map((rule) => `- ${rule}`),
  ];
  return signs.length === 0 ? [] : [[fault, ...signs]];
}

function wrongRows({ fault, verdict, own, found, appeared, stumbled }: FaultRow): readonly (readonly string[])[] {
  const strays = appeared.filter((stray) => isStray(fault, stray));
  return [
    ...(verdict === 'killed' ? [] : [[fault, `${verdict} (its case: ${own}) ${found}`]]),
    ...stumbled.map((one) => [fault, `breaks the case of ${one.rule}: ${one.found}`]),
    ...strays.map((stray) => [fault, `also fails ${stray.rule} of another area: ${stray.found}`]),
  ];
}

/** What is published as a page: the sum, what is wrong, and every fault by area. */
export function matrixPage({ faults }: PublishedMatrix): string {
  const rows = catalogue.all.flatMap(({ id }) => {
    const fault = faults[id];
    return fault === undefined ? [] : [{ id, ...fault }];
  });
  const wrong = rows.filter(({ verdict }) => verdict !== 'killed');
  const document: Document = {
    title: 'Kill matrix of the reference server',
    verdict: [
      `${counted(rows.length, 'fault')}, ${rows.length - wrong.length} killed by the case of their own rule, ${wrong.length} not as they should be. ` +
        'The last column holds the other rules that fail with a fault when it meets every case.',
    ],
    about: [],
    body: [
      ...faultSection('Not as it should be', wrong),
      ...areas.flatMap((area) =>
        faultSection(
          area,
          rows.filter(({ id }) => areaOf(id) === area),
        ),
      ),
    ],
  };
  return markdownText(document, { level: 1, mostBytes: Infinity, longestLine: 2000 });
}

function faultSection(title: string, rows: readonly (PublishedFault & { readonly id: RuleId })[]): readonly Block[] {
  return tableSection(title, {
    titles: ['fault of', 'verdict', 'what its case found', 'fails with it'],
    rows: rows.map(({ id, verdict, found, collateral }) => [
      code(id),
      verdict,
      found,
      collateral.flatMap((rule, index) => (index === 0 ? [code(rule)] : [' ', code(rule)])),
    ]),
  });
}
