import { assess, isViolated } from './assessment.ts';
import { entriesOf } from './entries.ts';
import { exitOf } from './exit.ts';
import type { Run } from './run.ts';
import { counted, printableJson } from './text.ts';
import { element, xmlText } from './xml.ts';

/** What a badge says: `color` is that of the exit code, as #rrggbb with white text readable on it. */
interface Badge {
  readonly label: string;
  readonly message: string;
  readonly color: string;
  readonly isError: boolean;
}

const colors = { 0: '#116329', 1: '#a40e26', 3: '#7d4e00' } as const;

const gap = 6;

/** Of a character of the font, on average, in px. */
const characterWidth = 6.6;

/** What a badge server asks an endpoint for: the schema of shields.io, version 1. */
export function writeBadgeJson(run: Run): string {
  return writeBadgeJsonOfAll([run]);
}

/** One badge for all runs together. */
export function writeBadgeJsonOfAll(runs: readonly Run[]): string {
  const { label, message, color, isError } = badgeOf(runs);
  return printableJson({ schemaVersion: 1, label, message, color, isError });
}

/** The badge of the runs together: violations win over incompleteness, as in the exit code. */
export function badgeOf(runs: readonly Run[]): Badge {
  const ends = runs.map((run) => {
    const assessment = assess(run);
    const entries = entriesOf(run, assessment);
    const violated = entries.filter(({ kind, type }) => kind === 'failure' && isViolated(type));
    return { totals: assessment.totals, violated: violated.length, code: exitOf(run, assessment, entries).code };
  });
  const sum = (count: (of: (typeof ends)[number]) => number): number =>
    ends.reduce((total, end) => total + count(end), 0);
  const failed = sum(({ violated }) => violated);
  const kept = sum(({ totals }) => totals.pass + totals.observed);
  const judged = sum(({ totals }) => totals.pass + totals.observed + totals.fail + totals.warn);
  const codes = ends.map(({ code }) => code);
  const badge = (code: keyof typeof colors, message: string): Badge => ({
    label: 'conformance',
    message,
    color: colors[code],
    isError: code !== 0,
  });
  if (codes.includes(1))
    return badge(
      1,
      failed > 0 ? `${failed} of ${counted(judged, 'rule')} violated` : 'entries of the profile out of date',
    );
  if (codes.includes(3) || codes.length === 0) return badge(3, `incomplete, ${counted(judged, 'rule')} judged`);
  return badge(0, `${kept} of ${counted(judged, 'judged rule')} kept`);
}

/** An SVG of 20 px height that reads well at any width of its font. */
export function writeBadge(run: Run): string {
  return writeBadgeOfAll([run]);
}

/** One badge for all runs together. */
export function writeBadgeOfAll(runs: readonly Run[]): string {
  const { label, message, color } = badgeOf(runs);
  const [left, right] = [widthOf(label), widthOf(message)];
  const width = left + right;
  const names = [...new Set(runs.map(({ header }) => header.implementation))].join(', ');
  const text = (words: string, x: number, wide: number): string =>
    element('text', { x, y: 14, textLength: wide - 2 * gap }, xmlText(words));
  const content = [
    element('title', { id: 'title' }, xmlText(`${label}: ${message}`)),
    element('desc', { id: 'desc' }, xmlText(`What a run of svc-conformance found out about ${names.slice(0, 200)}.`)),
    element('clipPath', { id: 'round' }, element('rect', { width, height: 20, rx: 3 })),
    element(
      'g',
      { 'clip-path': 'url(#round)' },
      `${element('rect', { width: left, height: 20, fill: '#3d444d' })}${element('rect', { x: left, width: right, height: 20, fill: color })}`,
    ),
    element(
      'g',
      { fill: '#fff', 'font-family': 'Verdana, DejaVu Sans, sans-serif', 'font-size': 11 },
      `${text(label, gap, left)}${text(message, left + gap, right)}`,
    ),
  ];
  return `${element('svg', { xmlns: 'http://www.w3.org/2000/svg', width, height: 20, viewBox: `0 0 ${width} 20`, role: 'img', 'aria-labelledby': 'title desc' }, `\n${content.join('\n')}\n`)}\n`;
}

function widthOf(words: string): number {
  return Math.round(words.length * characterWidth) + 2 * gap;
}
