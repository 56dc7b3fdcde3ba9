import type { ExpectedSpan, SeenMark, Timeline } from '../judge/outcome.ts';
import { counted } from './text.ts';

/** Titles of the cells of a row. */
export const timelineTitles = ['what', 'expected', 'seen', 'result', 'answered'] as const;

/** One line of a timeline as text: what came and when it was due, or what did not come. */
export interface TimelineRow {
  readonly cells: readonly string[];
  readonly isOff: boolean;
}

/** The calls in their order, each with the span that it belongs to; then what is missing, then the spans in which nothing was due. */
export function timelineRows({ expected, seen, leftOut = 0 }: Timeline): readonly TimelineRow[] {
  return [
    ...seen.map((mark, index) => seenRow(mark, spanOf(expected, index), expected.length === 0 ? 'left open' : '')),
    ...expected.filter(({ missing = 0 }) => missing > 0).map(missingRow),
    ...expected.filter(({ calls }) => calls === 0).map((span) => quietRow(span, seen)),
    ...(leftOut === 0 ? [] : [{ cells: [`${leftOut} more, not recorded`, '', '', '', ''], isOff: false }]),
  ];
}

export function timelineSentence({ zero, expected, seen }: Timeline): string {
  const missing = expected.reduce((sum, span) => sum + (span.missing ?? 0), 0);
  const off = seen.filter(({ isOff }) => isOff === true).length;
  const parts = [
    `${seen.length} seen`,
    ...(off > 0 ? [`${off} of them off`] : []),
    ...(missing > 0 ? [`${missing} missing`] : []),
  ];
  return `In seconds from ${zero}: ${parts.join(', ')}.`;
}

/** The span whose turn the call of that number, from 0, was; undefined when none was due any more. */
export function spanOf(expected: readonly ExpectedSpan[], index: number): ExpectedSpan | undefined {
  let due = 0;
  return expected.find(({ calls }) => (due += calls) > index);
}

/** Seconds with three digits, from milliseconds. */
export function secondsOf(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`;
}

function seenRow(mark: SeenMark, span: ExpectedSpan | undefined, otherwise: string): TimelineRow {
  const { label, atMs, untilMs = atMs, status, isOff = false } = mark;
  const seen = untilMs - atMs < 1 ? secondsOf(atMs) : `${secondsOf(atMs)}, ended ${secondsOf(untilMs)}`;
  return {
    cells: [
      label,
      span === undefined ? otherwise : spanText(span),
      seen,
      judgement(mark, span),
      status === undefined ? '' : String(status),
    ],
    isOff,
  };
}

function judgement({ atMs, isOff = false }: SeenMark, span: ExpectedSpan | undefined): string {
  if (!isOff) return span === undefined ? '' : 'in time';
  if (span === undefined) return 'none was due';
  if (atMs < span.fromMs) return `early by ${secondsOf(span.fromMs - atMs)}`;
  if (span.untilMs !== undefined && atMs > span.untilMs) return `late by ${secondsOf(atMs - span.untilMs)}`;
  return 'not as expected';
}

function missingRow(span: ExpectedSpan): TimelineRow {
  return { cells: [span.label, spanText(span), 'nothing', `${span.missing ?? 0} missing`, ''], isOff: true };
}

function quietRow(span: ExpectedSpan, seen: readonly SeenMark[]): TimelineRow {
  const { label, fromMs, untilMs = Infinity } = span;
  const count = seen.filter(({ atMs, isOff }) => isOff === true && atMs >= fromMs && atMs <= untilMs).length;
  return {
    cells: [
      label,
      spanText(span),
      count === 0 ? 'nothing' : counted(count, 'call'),
      count === 0 ? 'quiet' : 'not quiet',
      '',
    ],
    isOff: count > 0,
  };
}

function spanText({ fromMs, untilMs }: ExpectedSpan): string {
  if (untilMs === undefined) return `from ${secondsOf(fromMs)} on`;
  return untilMs === fromMs ? secondsOf(fromMs) : `${secondsOf(fromMs)} to ${secondsOf(untilMs)}`;
}
