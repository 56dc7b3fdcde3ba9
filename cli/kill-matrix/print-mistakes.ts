import { counted, printable, seconds } from '../../reports/text.ts';
import { isStale, isUnexcused, type MistakeMatrix, type MistakeRow, type Sighting } from './mistake-matrix.ts';

/** What became of each mistake, then the cases that stumbled, and what survived with its sentence. */
export function mistakeLines({ mode, mistakes, control, durationMs }: MistakeMatrix): readonly string[] {
  const stumbling = mistakes.flatMap(({ mistake, broken }) => broken.map((sighting) => brokenLine(mistake, sighting)));
  const alive = mistakes.filter(({ verdict }) => verdict !== 'killed');
  return [
    ...mistakes.map((row) => mistakeLine(row, mode)),
    '',
    ...paragraph('Cases that stumble, which is a defect of the suite:', stumbling),
    ...paragraph('Not killed, and nothing says why:', alive.filter(isUnexcused).flatMap(sentenceLines)),
    ...paragraph('Not killed, with a reason:', alive.filter((row) => !isUnexcused(row)).flatMap(sentenceLines)),
    ...paragraph('Killed, so that the reason is to be taken out:', mistakes.filter(isStale).flatMap(sentenceLines)),
    ...control.killedBy.map(({ rule, verdict, found }) => `control: ${rule} is ${verdict}: ${printable(found)}`),
    `Control: ${counted(control.cases, 'case')}, ${control.killedBy.length} not passed.`,
    `${counted(mistakes.length, 'mistake')}: ${countOf(mistakes, 'killed')} killed, ${countOf(mistakes, 'observed')} observed only, ` +
      `${countOf(mistakes, 'survived')} survived; ${seconds(durationMs)}.`,
  ];
}

/** What became of one mistake, in a line. */
export function mistakeLine(
  { mistake, verdict, killedBy, observedBy, cases }: MistakeRow,
  mode: MistakeMatrix['mode'],
): string {
  const rules = (verdict === 'killed' ? killedBy : observedBy).map(({ rule }) => rule);
  const shown = mode === 'all' ? rules : rules.slice(0, 1);
  const by = shown.length === 0 ? `no rule, ${counted(cases, 'case')}` : shown.join(' ');
  return `${verdict.padEnd(8)} ${mistake}: ${by}`;
}

function brokenLine(mistake: string, { rule, found }: Sighting): string {
  return `  ${mistake}: ${rule}: ${printable(found)}`;
}

function sentenceLines({ mistake, source, breaks, survives, verdict, blocked }: MistakeRow): readonly string[] {
  const lines = [`  ${mistake} (${source})`, `    ${breaks}`];
  if (verdict !== 'killed')
    lines.push(...blocked.map(({ rule, found }) => `    kept from judging: ${rule}: ${printable(found)}`));
  return survives === undefined ? lines : [...lines, `    ${survives}`];
}

function paragraph(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines, ''];
}

function countOf(rows: readonly MistakeRow[], verdict: MistakeRow['verdict']): number {
  return rows.filter((row) => row.verdict === verdict).length;
}
