import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import { block, code, inline, table } from '../markdown/text.ts';
import { counted, printableJson } from '../text.ts';
import { count, rate, share, time } from './figures.ts';
import { type Column, columnsOf, secondsOfColumn } from './plot/columns.ts';
import { clockTime, linearScale, logScale, type Scale, timeScale } from './plot/scales.ts';
import { plotStyle } from './plot/style.ts';
import { loadOf, operationHead, operationRows, sentences } from './rows.ts';

const [width, height] = [960, 500];

const [left, right] = [72, width - 56];

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

/** How many of the slowest seconds are shown. */
const shownSeconds = 5;

/** Documents that a run of traffic can be made into. */
export const trafficFormats = {
  json: printableJson,
  markdown: trafficMarkdown,
  svg: latencyPlot,
} as const satisfies Record<string, (report: TrafficReport) => string>;

export type TrafficFormatName = keyof typeof trafficFormats;

function trafficMarkdown(report: TrafficReport): string {
  const { implementation, journeys, thresholds, violations, seconds } = report;
  const parts = [
    `# Traffic on ${inline(implementation)}`,
    table(['target', inline(report.target)], facts(report)),
    sentences(report)
      .map((sentence) => `- ${inline(sentence)}`)
      .join('\n'),
    ...(thresholds.length === 0
      ? []
      : [
          '## Thresholds',
          table(
            ['threshold', 'found', 'met'],
            thresholds.map(({ text, found, met }) => [code(text), inline(found), met ? 'yes' : '**no**']),
          ),
        ]),
    ...(violations.length === 0 ? [] : ['## Broken rules', ...violations.flatMap(violationParts)]),
    '## Operations',
    table(
      [...operationHead],
      operationRows(report).map((row) => row.map(inline)),
      1,
    ),
    ...(seconds.length <= 1
      ? []
      : [
          '## Slowest seconds',
          table(['second', 'answers', 'errors', 'p50', 'p90', 'p99', 'max'], slowest(seconds), 0),
        ]),
    '## Journeys',
    table(
      ['journey', 'begun', 'whole'],
      journeys.map((one) => [inline(one.journey), count(one.begun), count(one.whole)]),
      1,
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

function facts(report: TrafficReport): readonly (readonly string[])[] {
  const { durationMs, requestsPerSecond, all, workers, judged, seed, startedAt } = report;
  return [
    ['load', `${loadOf(report)}, by ${counted(workers, 'worker')}`],
    ['began', inline(startedAt)],
    ['took', time(durationMs)],
    ['requests', `${count(all.requests)}, ${rate(requestsPerSecond)}`],
    ['errors', share(all.errors, all.requests)],
    [
      'latency',
      `p50 ${time(all.p50Ms)}, p90 ${time(all.p90Ms)}, p95 ${time(all.p95Ms)}, p99 ${time(all.p99Ms)}, longest ${time(all.maxMs)}`,
    ],
    [
      'judged',
      judged.ratio === 0
        ? 'nothing'
        : `${count(judged.exchanges)} answers, ${share(judged.ratio, 1)} of the journeys and objects`,
    ],
    ['seed', String(seed)],
  ];
}

function slowest(seconds: TrafficReport['seconds']): readonly (readonly string[])[] {
  return seconds
    .toSorted((one, other) => other.p99Ms - one.p99Ms)
    .slice(0, shownSeconds)
    .map((one) => [
      String(one.second),
      count(one.requests),
      share(one.errors, one.requests),
      time(one.p50Ms),
      time(one.p90Ms),
      time(one.p99Ms),
      time(one.maxMs),
    ]);
}

function violationParts({
  rule,
  expected,
  actual,
  count: times,
  curl,
}: TrafficReport['violations'][number]): readonly string[] {
  return [
    `### ${inline(rule)}`,
    `${times === 1 ? 'Once' : `${count(times)} times`}. Expected: ${inline(expected)}. Found: ${inline(actual)}.`,
    ...(curl === undefined ? [] : [block(curl)]),
  ];
}

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
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t d">
<title id="t">Latency and rate over the time of the run</title>
<desc id="d">${headOf(report).join(', ')}.</desc>
<style>${plotStyle}</style>
<rect class="page" width="${width}" height="${height}"/>
${[
  `<text class="strong" x="${left}" y="${places.head}">${headOf(report).join(' · ')}</text>`,
  ...legend(),
  ...grid(latency, (ms) => time(ms)),
  ...grid(rates, (value) => `${count(value)}/s`),
  ...x.ticks.map(
    (second) =>
      `<text class="soft" x="${one(x.at(second))}" y="${places.times}" text-anchor="middle">${clockTime(second)}</text>`,
  ),
  ...limits(report, latency),
  ...columns.flatMap((column) => [...bar(column, x, rates), ...broken(column, x)]),
  ...columns.flatMap((column) => longest(column, x, latency)),
  ...lines.map(({ name, of }) => path(name, columns, x, (worst) => latency.at(of(worst)))),
  foot(report),
].join('\n')}
</svg>
`;
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
  const keys = lines.map(
    ({ name, words }, index) =>
      `<path class="line ${name}" d="M${left + index * 90} ${y - 4}h26"/><text class="soft" x="${left + index * 90 + 32}" y="${y}">${words}</text>`,
  );
  const at = (index: number): number => left + 270 + index * 90;
  return [
    ...keys,
    `<circle class="max" cx="${at(0) + 8}" cy="${y - 4}" r="2"/><text class="soft" x="${at(0) + 16}" y="${y}">longest</text>`,
    `<rect class="rate" x="${at(1)}" y="${y - 10}" width="12" height="12"/><text class="soft" x="${at(1) + 18}" y="${y}">answers</text>`,
    `<rect class="errors" x="${at(2)}" y="${y - 10}" width="12" height="12"/><text class="soft" x="${at(2) + 18}" y="${y}">errors</text>`,
    `<path class="broken" d="${triangle(at(3) + 6, y)}"/><text class="soft" x="${at(3) + 18}" y="${y}">rule seen broken</text>`,
  ];
}

function grid({ at, ticks }: Scale, words: (value: number) => string): readonly string[] {
  return ticks.map((tick) => {
    const y = one(at(tick));
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
    } = /^ *(?<figure>p\d\d|max|mean) *< *(?<limit>\d+(?:\.\d+)?) *(?<unit>ms|s) *$/.exec(text)?.groups ?? {};
    const ms = Number(limit) * (unit === 's' ? 1000 : 1);
    if (figure === '' || ms < low || ms > high) return [];
    const y = one(latency.at(ms));
    return [
      `<line class="limit" x1="${left}" x2="${right}" y1="${y}" y2="${y}"/><text class="limit-text" x="${right + 4}" y="${y}" dominant-baseline="middle">${figure}</text>`,
    ];
  });
}

function bar({ from, seconds, rate: full, errorRate }: Column, x: Scale, rates: Scale): readonly string[] {
  const [start, end] = [x.at(from), x.at(from + seconds)];
  const gap = Math.min(1, (end - start) / 5);
  const rect = (name: string, value: number): string =>
    `<rect class="${name}" x="${one(start + gap / 2)}" y="${one(rates.at(value))}" width="${one(end - start - gap)}" height="${one(places.rate.bottom - rates.at(value))}"/>`;
  return [...(full > 0 ? [rect('rate', full)] : []), ...(errorRate > 0 ? [rect('errors', errorRate)] : [])];
}

function broken({ from, seconds, violations }: Column, x: Scale): readonly string[] {
  if (violations === 0) return [];
  const [at, y] = [x.at(from + seconds / 2), places.broken + 4];
  return [
    `<path class="broken" d="${triangle(at, y)}"><title>${counted(violations, 'time')} from ${clockTime(from)} on</title></path>`,
  ];
}

function triangle(x: number, bottom: number): string {
  return `M${one(x)} ${bottom}l-5 -9h10z`;
}

function longest({ from, seconds, worst }: Column, x: Scale, latency: Scale): readonly string[] {
  return worst === undefined
    ? []
    : [`<circle class="max" cx="${one(x.at(from + seconds / 2))}" cy="${one(latency.at(worst.maxMs))}" r="1.8"/>`];
}

/** Broken off where no answer came; a second between two such is a dot. */
function path(name: string, columns: readonly Column[], x: Scale, y: (worst: Worst) => number): string {
  const parts = columns.map(({ from, seconds, worst }, index) => {
    if (worst === undefined) return '';
    const at = `${one(x.at(from + seconds / 2))} ${one(y(worst))}`;
    return columns[index - 1]?.worst === undefined ? `M${at}h0` : `L${at}`;
  });
  return `<path class="line ${name}" d="${parts.join('')}"/>`;
}

function foot({ seconds }: TrafficReport): string {
  return `<text class="soft" x="${left}" y="${places.foot}">${wordsOn(secondsOfColumn(seconds.length), seconds.length)}</text>`;
}

function wordsOn(inColumn: number, seconds: number): string {
  if (seconds === 0) return 'This report holds no figures by second.';
  return `Latency counts from when a request was due; each point is ${inColumn === 1 ? 'one second' : `the worst of ${inColumn} seconds`}.`;
}

function one(value: number): string {
  return value.toFixed(1);
}
