import type { ExpectedSpan, SeenMark, Timeline } from '../../judge/outcome.ts';
import { counted } from '../text.ts';
import { secondsOf, spanOf, timelineRows, timelineSentence, timelineTitles } from '../timeline.ts';
import { markup, type Markup } from './markup.ts';

/** Heights of the drawing, in px: what is due stands above the line of what was seen, the seconds under it. */
const dueTop = 32;
const dueHeight = 14;
const seenY = 70;
const axisY = 90;
const height = 110;
/** Share of the width that is left free on both sides, and closest distance of two texts, in percent. */
const marginPercent = 2;
const closestTexts = 2.2;
const mostTicks = 6;

/** Schedules as drawings, each with its table: the drawing says nothing that the table does not. */
export function drawSchedules(timelines: readonly Timeline[], most: number): Markup | undefined {
  if (timelines.length === 0) return undefined;
  const left = timelines.length - most;
  return markup`<h4>Schedule, expected against seen</h4>${timelines.slice(0, most).map(figureOf)}${left > 0 && markup`<p>The JSON report has ${counted(left, 'further schedule')}.</p>`}`;
}

function figureOf(timeline: Timeline): Markup {
  const { title } = timeline;
  const rows = timelineRows(timeline);
  return markup`<figure class="timeline"><figcaption><strong>${title}</strong> ${timelineSentence(timeline)}</figcaption>
${drawingOf(timeline)}
<div class="scroll" role="group" aria-label="Times: ${title}" tabindex="0"><table><thead><tr>${timelineTitles.map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map(({ cells, isOff }) => markup`<tr${isOff && markup` class="off"`}>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`)}</tbody></table></div></figure>
`;
}

/** Positions are shares of the width, so that the drawing is as wide as the window and its texts keep their size. */
function drawingOf(timeline: Timeline): Markup {
  const { expected, seen, title } = timeline;
  const scale = scaleOf(timeline);
  return markup`<svg class="schedule" role="img" aria-label="Drawing of the table below: ${title}" width="100%" height="${height}">
<text class="name" x="0" y="10">expected above, seen on the line</text><line class="lane" x1="0" x2="100%" y1="${seenY}" y2="${seenY}"></line>
${ticksOf(scale)}${seen.map((mark, index) => leader(mark, spanOf(expected, index), scale))}${expected.map((span) => spanShape(span, scale))}${numbersOf(expected, seen, scale)}${seen.map((mark) => seenShape(mark, scale))}
</svg>`;
}

interface Scale {
  readonly fromMs: number;
  readonly toMs: number;
}

function scaleOf({ expected, seen }: Timeline): Scale {
  const times = [
    0,
    ...[
      ...expected.map(({ fromMs, untilMs = fromMs }) => [fromMs, untilMs]),
      ...seen.map(({ atMs, untilMs = atMs }) => [atMs, untilMs]),
    ].flat(),
  ];
  const fromMs = Math.min(...times);
  return { fromMs, toMs: Math.max(fromMs + 1, ...times) };
}

function percentOf(ms: number, { fromMs, toMs }: Scale): number {
  return marginPercent + ((100 - 2 * marginPercent) * (ms - fromMs)) / (toMs - fromMs);
}

function at(ms: number, scale: Scale): string {
  return `${percentOf(ms, scale).toFixed(2)}%`;
}

function ticksOf(scale: Scale): Markup {
  const step = stepOf((scale.toMs - scale.fromMs) / mostTicks);
  const first = Math.ceil(scale.fromMs / step);
  const ticks = Array.from({ length: Math.floor(scale.toMs / step) - first + 1 }, (_, index) => (first + index) * step);
  return markup`${ticks.map((ms) => {
    const x = at(ms, scale);
    const anchor = percentOf(ms, scale) > 95 ? 'end' : 'middle';
    return markup`<line class="tick" x1="${x}" x2="${x}" y1="${dueTop}" y2="${axisY}"></line><text x="${x}" y="${axisY + 14}" text-anchor="${anchor}">${ms / 1000} s</text>`;
  })}`;
}

/** The smallest of 1, 2, 5, 10, … ms and so on that is no shorter. */
function stepOf(leastMs: number): number {
  const power = 10 ** Math.floor(Math.log10(leastMs));
  const factor = [1, 2, 5].find((one) => one * power >= leastMs) ?? 10;
  return Math.max(1, factor * power);
}

function spanShape(span: ExpectedSpan, scale: Scale): Markup {
  const { fromMs, untilMs, calls, missing = 0, label } = span;
  const endPercent = untilMs === undefined ? 100 : percentOf(Math.max(fromMs, untilMs), scale);
  const width = (endPercent - percentOf(fromMs, scale)).toFixed(2);
  const form = missing > 0 ? 'missing' : 'due';
  const gap =
    missing > 0 &&
    markup`<circle class="missing" cx="${at(fromMs, scale)}" cy="${seenY}" r="5"><title>${label}: missing</title></circle>`;
  return markup`<rect class="${calls === 0 ? 'quiet' : form}" x="${at(fromMs, scale)}" width="${width}%" y="${dueTop}" height="${dueHeight}" rx="2"><title>${label}</title></rect>${gap}`;
}

/** From where a call that is off was due to where it was seen. */
function leader({ atMs, isOff = false }: SeenMark, span: ExpectedSpan | undefined, scale: Scale): Markup | undefined {
  if (!isOff || span === undefined) return undefined;
  const dueMs = Math.max(span.fromMs, Math.min(atMs, span.untilMs ?? Infinity));
  return markup`<line class="leader" x1="${at(dueMs, scale)}" y1="${dueTop + dueHeight}" x2="${at(atMs, scale)}" y2="${seenY}"></line>`;
}

/** A dot, and a bar for as long as it took; what is off is a cross. */
function seenShape(mark: SeenMark, scale: Scale): Markup {
  const { atMs, untilMs = atMs, isOff = false, label } = mark;
  const name = `${label}: ${secondsOf(atMs)}`;
  const bar =
    untilMs > atMs &&
    markup`<line class="took" x1="${at(atMs, scale)}" x2="${at(untilMs, scale)}" y1="${seenY}" y2="${seenY}"></line>`;
  const dot = markup`<circle class="seen" cx="${at(atMs, scale)}" cy="${seenY}" r="5"><title>${name}</title></circle>`;
  return markup`${bar}${isOff ? crossAt(atMs, seenY, scale, name) : dot}`;
}

function crossAt(ms: number, y: number, scale: Scale, name: string): Markup {
  return markup`<svg class="cross" x="${at(ms, scale)}" y="${y}" overflow="visible"><title>${name}</title><path d="M-6-6 6 6M-6 6 6-6"></path></svg>`;
}

/** Numbers of the calls over the spans in which they are due and under where they were seen, where there is room. */
function numbersOf(expected: readonly ExpectedSpan[], seen: readonly SeenMark[], scale: Scale): Markup {
  let due = 0;
  const over = expected
    .filter(({ calls }) => calls > 0)
    .map(({ fromMs, untilMs = fromMs, calls }) => {
      const text = calls === 1 ? `${due + 1}` : `${due + 1}–${due + calls}`;
      due += calls;
      return { ms: (fromMs + Math.max(fromMs, untilMs)) / 2, text, y: dueTop - 4 };
    });
  const under = seen.map(({ atMs }, index) => ({
    ms: atMs,
    text: spanOf(expected, index) === undefined ? `${index + 1}!` : `${index + 1}`,
    y: axisY - 4,
  }));
  return markup`${[over, under].map((texts) => withRoom(texts, scale).map(({ ms, text, y }) => markup`<text x="${at(ms, scale)}" y="${y}" text-anchor="middle">${text}</text>`))}`;
}

function withRoom<T extends { readonly ms: number }>(texts: readonly T[], scale: Scale): readonly T[] {
  let last = -Infinity;
  return texts.filter(({ ms }) => {
    const percent = percentOf(ms, scale);
    if (percent - last < closestTexts) return false;
    last = percent;
    return true;
  });
}
