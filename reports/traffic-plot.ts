import type { SecondSummary, TrafficReport } from '../contract/schemas/traffic.ts';
import { count, counted, rate, share, time } from './text.ts';

const [width, height] = [960, 500];

/** Between these lies what is drawn, in every plot. */
export const [left, right] = [72, width - 56];

/** From above to below: what was broken, latencies, rate. */
const places = {
  head: 24,
  legend: 46,
  broken: 66,
  latency: { top: 80, bottom: 320 },
  rate: { top: 356, bottom: 456 },
  times: 474,
  foot: 492,
} as const;

const lines = [
  { name: 'p50', words: 'median', of: ({ p50Ms }: Worst) => p50Ms },
  { name: 'p90', words: '90 %', of: ({ p90Ms }: Worst) => p90Ms },
  { name: 'p99', words: '99 %', of: ({ p99Ms }: Worst) => p99Ms },
] as const;

type Worst = NonNullable<Column['worst']>;

/** Latency and rate over the time of the run: percentiles on a logarithmic scale, answers and errors a second below, broken rules above. Holds nothing that a target sent. */
export function latencyPlot(report: TrafficReport): string {
  const columns = columnsOf(report.seconds, report.durationMs);
  const x = timeScale(report.durationMs / 1000, left, right);
  const latency = logScale(
    columns.flatMap(({ worst }) => (worst === undefined ? [] : [worst.p50Ms, worst.maxMs])),
    places.latency.bottom,
    places.latency.top,
  );
  const rates = linearScale(Math.max(...columns.map((column) => column.rate), 0), places.rate.bottom, places.rate.top);
  const desc = `${headOf(report).join(', ')}.`;
  return plotText({ title: 'Latency and rate over the time of the run', desc, height }, [
    `<text class="strong" x="${left}" y="${places.head}">${headOf(report).join(' · ')}</text>`,
    ...legend(),
    ...grid(latency, time),
    ...grid(rates, (value) => `${count(value)}/s`),
    ...x.ticks.map(
      (second) =>
        `<text class="soft" x="${place(x.at(second))}" y="${places.times}" text-anchor="middle">${clockTime(second)}</text>`,
    ),
    ...limits(report, latency),
    ...columns.flatMap((column) => [...bar(column, x, rates), ...markBroken(column, x)]),
    ...columns.flatMap((column) => longest(column, x, latency)),
    ...lines.map(({ name, of }) => path(name, columns, x, (worst) => latency.at(of(worst)))),
    `<text class="soft" x="${left}" y="${places.foot}">${wordsOn(secondsOfColumn(report.seconds.length), report.seconds.length)}</text>`,
  ]);
}

/** A drawing on a ground of its own, with a name for who cannot see it. */
export function plotText(
  { title, desc, height: high }: { readonly title: string; readonly desc?: string; readonly height: number },
  content: readonly string[],
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${high}" role="img" aria-labelledby="${desc === undefined ? 't' : 't d'}">`,
    `<title id="t">${title}</title>`,
    ...(desc === undefined ? [] : [`<desc id="d">${desc}</desc>`]),
    `<style>${plotStyle}</style>`,
    `<rect class="page" width="${width}" height="${high}"/>`,
    ...content,
    '</svg>\n',
  ].join('\n');
}

/** A piece of a line and what it shows. */
export function lineKey(name: string, words: string, x: number, y: number): string {
  return `<path class="line ${name}" d="M${x} ${y - 4}h26"/><text class="soft" x="${x + 32}" y="${y}">${words}</text>`;
}

/** What there is to know before one looks closer. */
function headOf({ all, requestsPerSecond, violations, workers }: TrafficReport): readonly string[] {
  return [
    `${rate(requestsPerSecond)} by ${counted(workers, 'worker')}`,
    `median ${time(all.p50Ms)}`,
    `90 % ${time(all.p90Ms)}`,
    `99 % ${time(all.p99Ms)}`,
    `longest ${time(all.maxMs)}`,
    `errors ${share(all.errors, all.requests)}`,
    violations.length === 0 ? 'no rule broken' : `${counted(violations.length, 'rule')} broken`,
  ];
}

function legend(): readonly string[] {
  const y = places.legend;
  const at = (index: number): number => left + 270 + index * 90;
  return [
    ...lines.map(({ name, words }, index) => lineKey(name, words, left + index * 90, y)),
    `<circle class="max" cx="${at(0) + 8}" cy="${y - 4}" r="2"/><text class="soft" x="${at(0) + 16}" y="${y}">longest</text>`,
    `<rect class="rate" x="${at(1)}" y="${y - 10}" width="12" height="12"/><text class="soft" x="${at(1) + 18}" y="${y}">answers</text>`,
    `<rect class="errors" x="${at(2)}" y="${y - 10}" width="12" height="12"/><text class="soft" x="${at(2) + 18}" y="${y}">errors</text>`,
    `<path class="broken" d="${triangle(at(3) + 6, y)}"/><text class="soft" x="${at(3) + 18}" y="${y}">rule seen broken</text>`,
  ];
}

/** A line across for each tick, with its value before it. */
export function grid({ at, ticks }: Scale, words: (value: number) => string): readonly string[] {
  return ticks.map((tick) => {
    const y = place(at(tick));
    return `<line class="grid" x1="${left}" x2="${right}" y1="${y}" y2="${y}"/><text class="soft" x="${left - 8}" y="${y}" text-anchor="end" dominant-baseline="middle">${words(tick)}</text>`;
  });
}

/** Limits of all latencies that are on the page. */
function limits({ thresholds }: TrafficReport, latency: Scale): readonly string[] {
  const [low = 0, high = 0] = [latency.ticks[0], latency.ticks.at(-1)];
  return thresholds.flatMap(({ text }) => {
    const {
      figure = '',
      limit = '',
      unit = '',
    } = /^ *(?<figure>p\d\d(?:\.\d+)?|max|mean) *< *(?<limit>\d+(?:\.\d+)?) *(?<unit>ms|s) *$/.exec(text)?.groups ?? {};
    const ms = Number(limit) * (unit === 's' ? 1000 : 1);
    if (figure === '' || ms < low || ms > high) return [];
    const y = place(latency.at(ms));
    return [
      `<line class="limit" x1="${left}" x2="${right}" y1="${y}" y2="${y}"/><text class="limit-text" x="${right + 4}" y="${y}" dominant-baseline="middle">${figure}</text>`,
    ];
  });
}

function bar({ from, seconds, rate: full, errorRate }: Column, x: Scale, rates: Scale): readonly string[] {
  const [start, end] = [x.at(from), x.at(from + seconds)];
  const gap = Math.min(1, (end - start) / 5);
  const rect = (name: string, value: number): string =>
    `<rect class="${name}" x="${place(start + gap / 2)}" y="${place(rates.at(value))}" width="${place(end - start - gap)}" height="${place(places.rate.bottom - rates.at(value))}"/>`;
  return [...(full > 0 ? [rect('rate', full)] : []), ...(errorRate > 0 ? [rect('errors', errorRate)] : [])];
}

function markBroken({ from, seconds, violations }: Column, x: Scale): readonly string[] {
  if (violations === 0) return [];
  const [at, y] = [x.at(from + seconds / 2), places.broken + 4];
  return [
    `<path class="broken" d="${triangle(at, y)}"><title>${counted(violations, 'time')} from ${clockTime(from)} on</title></path>`,
  ];
}

function triangle(x: number, bottom: number): string {
  return `M${place(x)} ${bottom}l-5 -9h10z`;
}

function longest({ from, seconds, worst }: Column, x: Scale, latency: Scale): readonly string[] {
  return worst === undefined
    ? []
    : [`<circle class="max" cx="${place(x.at(from + seconds / 2))}" cy="${place(latency.at(worst.maxMs))}" r="1.8"/>`];
}

/** Broken off where no answer came; a second between two such is a dot. */
function path(name: string, columns: readonly Column[], x: Scale, y: (worst: Worst) => number): string {
  const parts = columns.map(({ from, seconds, worst }, index) => {
    if (worst === undefined) return '';
    const at = `${place(x.at(from + seconds / 2))} ${place(y(worst))}`;
    return columns[index - 1]?.worst === undefined ? `M${at}h0` : `L${at}`;
  });
  return `<path class="line ${name}" d="${parts.join('')}"/>`;
}

function wordsOn(inColumn: number, seconds: number): string {
  if (seconds === 0) return 'This report holds no figures by second.';
  return `Latency counts from when a request was due; each point is ${inColumn === 1 ? 'one second' : `the worst of ${inColumn} seconds`}.`;
}

export function place(value: number): string {
  return value.toFixed(1);
}

/** Light and dark, on a ground of its own, so that it can be read wherever it is shown. Lines differ in more than their colour. */
const plotStyle = `svg{--page:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d8dee4;--p50:#0b6bcb;--p90:#8250df;--p99:#b35900;--max:#57606a;--rate:#b6d3f2;--bad:#c62828;color:var(--ink);font:12px system-ui,sans-serif}
@media(prefers-color-scheme:dark){svg{--page:#0f1318;--ink:#e3e8ee;--soft:#a3adb8;--line:#2b323b;--p50:#79b8ff;--p90:#d2a8ff;--p99:#f0a04b;--max:#8b949e;--rate:#23425f;--bad:#ff7b72}}
.page{fill:var(--page)}text{fill:var(--ink)}.soft{fill:var(--soft)}.strong{font-weight:600;font-size:13px}.grid{stroke:var(--line)}.limit{stroke:var(--bad);stroke-dasharray:6 4}.limit-text{fill:var(--bad)}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}.p50{stroke:var(--p50)}.p90{stroke:var(--p90);stroke-dasharray:5 3}.p99{stroke:var(--p99);stroke-width:2.4}.max{fill:var(--max)}
.rate{fill:var(--rate)}.errors,.broken{fill:var(--bad)}.t50{fill:var(--p50)}.t90{fill:var(--p90)}.t99{fill:var(--p99)}`;

/** A stretch of the run: one second, or several in a long run. */
export interface Column {
  /** Seconds from the start of the load. */
  readonly from: number;
  /** Shorter than the others at the end of the run. */
  readonly seconds: number;
  /** Answers a second. */
  readonly rate: number;
  /** Errors a second, among them. */
  readonly errorRate: number;
  readonly violations: number;
  /** The worst second in it; undefined where no answer came. */
  readonly worst: Pick<SecondSummary, 'p50Ms' | 'p90Ms' | 'p99Ms' | 'maxMs'> | undefined;
}

const mostColumns = 400;
/** A last second that is shorter says nothing about a rate. */
const shortestSeconds = 0.2;

/** How many seconds a column holds. */
export function secondsOfColumn(seconds: number): number {
  return Math.max(1, Math.ceil(seconds / mostColumns));
}

/** Percentiles of several seconds cannot be put together from those of each, so a column shows the worst second. */
export function columnsOf(all: readonly SecondSummary[], durationMs: number): readonly Column[] {
  const width = secondsOfColumn(all.length);
  return [...Map.groupBy(all, ({ second }) => Math.floor(second / width)).values()].flatMap((group) => {
    const from = group[0]?.second ?? 0;
    const seconds = Math.min(group.length, Math.max(durationMs / 1000 - from, 0));
    const sum = (of: (one: SecondSummary) => number): number => group.reduce((total, one) => total + of(one), 0);
    const answered = group.filter(({ requests }) => requests > 0);
    if (seconds < shortestSeconds) return [];
    const column = {
      from,
      seconds,
      rate: sum(({ requests }) => requests) / seconds,
      errorRate: sum(({ errors }) => errors) / seconds,
    };
    return [
      {
        ...column,
        violations: sum(({ violations = 0 }) => violations),
        worst: answered.length === 0 ? undefined : worstOf(answered),
      },
    ];
  });
}

function worstOf(seconds: readonly SecondSummary[]): NonNullable<Column['worst']> {
  const most = (of: (one: SecondSummary) => number): number => Math.max(...seconds.map(of));
  return {
    p50Ms: most(({ p50Ms }) => p50Ms),
    p90Ms: most(({ p90Ms }) => p90Ms),
    p99Ms: most(({ p99Ms }) => p99Ms),
    maxMs: most(({ maxMs }) => maxMs),
  };
}

/** Values as places on the page, and which of them are written beside it. */
export interface Scale {
  at(value: number): number;
  readonly ticks: readonly number[];
}

const parts = [1, 2, 5] as const;
const stepsOfTime = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400];
const mostTimes = 12;
/** Less is not told apart. */
const leastMs = 0.001;

/** A logarithmic one; `from` is where the lowest value is. */
export function logScale(values: readonly number[], from: number, to: number): Scale {
  const positive = values.filter((value) => value > 0);
  const ticks = logTicks(Math.max(Math.min(...positive, 1), leastMs), Math.max(...positive, 10));
  const [low = 1, high = 10] = [ticks[0], ticks.at(-1)];
  const at = (value: number): number =>
    from + ((to - from) * Math.log(Math.min(Math.max(value, low), high) / low)) / Math.log(high / low);
  return { at, ticks: fewer(ticks) };
}

/** 1, 2 and 5 of each decade, from the last that is not above the least value to the first that is not below the most. */
function logTicks(least: number, most: number): readonly number[] {
  const all: number[] = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power += 1)
    for (const part of parts) all.push(Number((part * 10 ** power).toPrecision(1)));
  const first = all.findLastIndex((tick) => tick <= least);
  const last = all.findIndex((tick) => tick >= most);
  return all.slice(Math.max(0, first), last + 1);
}

/** Decades alone where there are many. */
function fewer(ticks: readonly number[]): readonly number[] {
  const isDecade = (tick: number): boolean => Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-9;
  return ticks.length <= 11 ? ticks : ticks.filter(isDecade);
}

/** One that begins at 0. */
export function linearScale(most: number, from: number, to: number): Scale {
  const step = stepBelow(Math.max(most, 1) / 2);
  const ticks = Array.from({ length: Math.ceil(Math.max(most, 1) / step) + 1 }, (_, index) => index * step);
  const high = ticks.at(-1) ?? 1;
  return { at: (value) => from + ((to - from) * value) / high, ticks };
}

/** 1, 2 or 5 times a power of ten. */
function stepBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (parts.findLast((part) => part * power <= value) ?? 1) * power;
}

export function timeScale(seconds: number, from: number, to: number): Scale {
  const all = Math.max(seconds, 1);
  const step = stepsOfTime.find((one) => all / one <= mostTimes) ?? Math.ceil(all / mostTimes);
  return {
    at: (second) => from + ((to - from) * second) / all,
    ticks: Array.from({ length: Math.floor(all / step) + 1 }, (_, index) => index * step),
  };
}

/** A time of the run as people read it: 45 s, 1:30, 1:02:05. */
export function clockTime(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  if (hours > 0) return `${hours}:${two(minutes)}:${two(rest)}`;
  return minutes > 0 ? `${minutes}:${two(rest)}` : `${rest} s`;
}
