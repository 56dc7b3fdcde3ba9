import type { Latencies, TrafficReport } from '../contract/schemas/traffic.ts';
import {
  type Block,
  code,
  type Document,
  type Form,
  sectionOf,
  type Table,
  tableSection,
  type Text,
  paragraph,
} from './document.ts';
import { count, counted, rate, share, time } from './text.ts';
import { kneePlot } from './traffic-knee.ts';
import { quantiles } from './traffic-openmetrics.ts';
import { grid, latencyPlot, left, lineKey, logScale, place, plotText, right } from './traffic-plot.ts';

const [height, top, bottom] = [320, 40, 270];

const onPaper: { readonly only: readonly Form[] } = { only: ['markdown', 'page'] };

/** How many of the slowest seconds are shown. */
const shownSeconds = 5;

/** What a run of traffic came to: rules that were seen broken, then figures. */
export function trafficReport(report: TrafficReport): Document {
  const { implementation, journeys, thresholds, violations, seconds, workers, durationMs, seed } = report;
  return {
    title: `Traffic on ${implementation}`,
    verdict: sentences(report),
    about: [
      { kind: 'facts', rows: factsOf(report), ...onPaper },
      paragraph(
        `${loadOf(report)}, by ${counted(workers, 'worker')}, for ${time(durationMs)}; seed ${seed}.`,
        'terminal',
      ),
    ],
    body: [
      ...tableSection(
        'Thresholds',
        {
          titles: ['threshold', 'found', 'met'],
          rows: thresholds.map(({ text, found, met }) => [
            code(text),
            found,
            met ? 'yes' : { as: 'strong', text: 'no' },
          ]),
        },
        onPaper,
      ),
      ...triedSection(report),
      ...comparedSection(report),
      ...(seconds.length <= 1
        ? []
        : drawn(
            'By second',
            latencyPlot(report),
            'Latency and rate by second; the table of the slowest seconds is below.',
          )),
      ...sectionOf('Broken rules', violations.map(violationSection)),
      { kind: 'section', title: 'Operations', blocks: [operationTable(report)] },
      ...tableSection('Errors', failureTable(report)),
      { kind: 'section', title: 'Latency', blocks: [latencyTable(report), curveOf(report)] },
      ...(seconds.length <= 1 ? [] : tableSection('Slowest seconds', slowestTable(seconds), onPaper)),
      ...tableSection('By minute', minuteTable(report), onPaper),
      ...tableSection('Where the load was behind its rate', behindTable(report), onPaper),
      ...tableSection(
        'Journeys',
        {
          titles: ['journey', 'begun', 'whole'],
          rows: journeys.map((one) => [one.journey, count(one.begun), count(one.whole)]),
          numbers: [1, 2],
        },
        onPaper,
      ),
      ...tableSection('Steps', stepTable(report), onPaper),
    ],
  };
}

/** From the lowest rate to the highest, so that the knee is seen. */
function triedSection(report: TrafficReport): readonly Block[] {
  const { tried = [] } = report;
  const rows = tried
    .toSorted((one, other) => one.rate - other.rate)
    .map(({ rate: tryRate, verdict, found, p50Ms, p99Ms }) => [
      `${count(tryRate)}/s`,
      verdict,
      found,
      time(p50Ms),
      time(p99Ms),
    ]);
  const drawing: Block = {
    kind: 'drawing',
    svg: kneePlot(report),
    says: 'Latency by the rate that was tried; the figures are in the table above.',
    only: ['page'],
  };
  const table = { titles: ['journeys', 'limit', 'found', 'p50', 'p99'], rows, numbers: [2, 4] } as const;
  return tableSection('Rates that were tried', table).map((block) =>
    block.kind === 'section' ? { ...block, blocks: [...block.blocks, drawing] } : block,
  );
}

/** What became of each figure, and how sure that is. */
function comparedSection({ compared }: TrafficReport): readonly Block[] {
  if (compared === undefined) return [];
  const figure = (value: number, unit: 'ms' | '/s'): string => (unit === 'ms' ? time(value) : rate(value));
  const rows = compared.figures.map(({ figure: name, unit, before, after, ratio, low, high, limit }) => [
    name,
    figure(before, unit),
    figure(after, unit),
    changeText(ratio),
    `${changeText(low)} to ${changeText(high)}`,
    limit === undefined ? '' : `${limit.percent} % ${limit.verdict}`,
  ]);
  const titles = ['figure', 'before', 'now', 'change', 'lies between', 'may be worse by'];
  return [
    {
      kind: 'section',
      title: `Since the run of ${compared.with.startedAt}`,
      blocks: [{ kind: 'table', titles, rows, numbers: [1, 4] }, paragraph(`${compared.method}.`)],
    },
  ];
}

function changeText(ratio: number): string {
  const percent = (ratio - 1) * 100;
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`;
}

/** Journeys a second that the target bears; nothing where none was looked for. */
function limitFound({ tried, thresholds, violations }: TrafficReport): readonly string[] {
  if (tried === undefined) return [];
  const rates = (verdict: string): readonly number[] =>
    tried.filter((one) => one.verdict === verdict).map((one) => one.rate);
  const [kept, above] = [Math.max(...rates('kept')), Math.min(...rates('missed'), ...rates('not made'))];
  const limit = thresholds.at(-1)?.text ?? 'the limit';
  if (kept === -Infinity) return [`No rate that was tried kept ${limit}.`];
  if (above === Infinity && violations.length > 0)
    return [`${limit} is kept up to ${count(kept)} journeys a second; the search ended there, as a rule was broken.`];
  if (above === Infinity) return [`Every rate that was tried kept ${limit}, up to ${count(kept)} journeys a second.`];
  const isHere = rates('not made').includes(above);
  return [
    `${limit} is kept up to ${count(kept)} journeys a second; ${count(above)} ${isHere ? 'is more than this machine makes' : 'miss it'}.`,
  ];
}

function drawn(title: string, svg: string, says: string): readonly Block[] {
  return [{ kind: 'section', title, blocks: [{ kind: 'drawing', svg, says }], only: ['page'] }];
}

function curveOf(report: TrafficReport): Block {
  return { kind: 'drawing', svg: latencyCurve(report), says: 'The latencies of the table as a curve.', only: ['page'] };
}

function stepTable({ journeys }: TrafficReport): Table {
  const rows = journeys.flatMap(({ journey: name, steps = [] }) =>
    steps.map((one) => [
      name,
      one.op,
      count(one.requests),
      share(one.errors, one.requests),
      ...[one.p50Ms, one.p90Ms, one.p99Ms, one.p999Ms, one.maxMs].map((ms) => time(ms)),
    ]),
  );
  return {
    titles: ['journey', 'step', 'requests', 'errors', 'p50', 'p90', 'p99', 'p99.9', 'max'],
    rows,
    numbers: [2, 8],
  };
}

function factsOf(report: TrafficReport): readonly (readonly [string, Text])[] {
  const { target, durationMs, requestsPerSecond, all, workers, judged, seed, startedAt } = report;
  return [
    ['target', target],
    ['load', `${loadOf(report)}, by ${counted(workers, 'worker')}`],
    ['began', startedAt],
    ['took', time(durationMs)],
    ['requests', `${count(all.requests)}, ${rate(requestsPerSecond)}`],
    ['errors', share(all.errors, all.requests)],
    [
      'judged',
      judged.ratio === 0
        ? 'nothing'
        : `${count(judged.exchanges)} answers, ${share(judged.ratio, 1)} of the journeys and objects`,
    ],
    ['seed', String(seed)],
  ];
}

/** Beside each other, as the raw ones look better the longer a service stalls: what waits to be sent is not in them. */
function latencyTable({ all }: TrafficReport): Block {
  const row = (name: string, latencies: Latencies): readonly string[] => [
    name,
    ...quantiles.map(({ of }) => time(of(latencies))),
  ];
  const titles = ['counted from', ...quantiles.map(({ share: part }) => (part < 1 ? `p${part * 100}` : 'max'))];
  const rows = [row(countedFrom(all), all), ...(all.raw === undefined ? [] : [row('when it was sent (raw)', all.raw)])];
  return { kind: 'table', titles, rows, numbers: [1, titles.length - 1] };
}

/** Where nothing is told of the sending, that is what was told: k6 knows no other time. */
function countedFrom({ raw }: Latencies & { readonly raw?: unknown }): string {
  return raw === undefined ? 'when it was sent' : 'when it was due';
}

function violationSection({
  rule,
  expected,
  actual,
  count: times,
  curl,
  answer,
}: TrafficReport['violations'][number]): Block {
  return {
    kind: 'section',
    title: rule,
    aside: times === 1 ? 'once' : `${count(times)} times`,
    blocks: [
      {
        kind: 'facts',
        rows: [
          ['expected', expected],
          ['found', actual],
        ],
      },
      ...(curl === undefined ? [] : [{ kind: 'command', label: 'again', text: curl } as const]),
      ...(answer === undefined
        ? []
        : [{ kind: 'folded', title: 'the answer', lines: answer.split('\n'), ...onPaper } as const]),
    ],
  };
}

/** One row an operation, all of them together last. */
function operationTable({ operations, all, durationMs }: TrafficReport): Block {
  const titles = ['operation', 'requests', 'errors', 'rate', 'mean', 'p50', 'p90', 'p99', 'max', 'answers'];
  const rows = [...operations, all].map((one) => [
    one.op,
    count(one.requests),
    share(one.errors, one.requests),
    rate(durationMs === 0 ? 0 : (one.requests * 1000) / durationMs),
    time(one.meanMs),
    time(one.p50Ms),
    time(one.p90Ms),
    time(one.p99Ms),
    time(one.maxMs),
    Object.entries(one.outcomes)
      .map(([outcome, times]) => `${outcome}: ${count(times)}`)
      .join(', '),
  ]);
  return { kind: 'table', titles, rows, numbers: [1, titles.length - 2] };
}

/** How many kinds of errors are shown; the JSON report has them all. */
const shownFailures = 20;

/** The most frequent first. */
function failureTable({ operations }: TrafficReport): Table {
  const all = operations.flatMap(({ op, failures = [] }) => failures.map((failure) => ({ op, ...failure })));
  const rows = all
    .toSorted((one, other) => other.requests - one.requests)
    .slice(0, shownFailures)
    .map(({ op, outcome, requests, first }) => [
      op,
      outcome,
      count(requests),
      count(first.second),
      first.request,
      first.says ?? '',
    ]);
  const titles = ['operation', 'answer', 'requests', 'first in second', 'which was', 'and said'];
  return { titles, rows, numbers: [2, 3] };
}

function slowestTable(seconds: TrafficReport['seconds']): Table {
  const rows = seconds
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
  return { titles: ['second', 'answers', 'errors', 'p50', 'p90', 'p99', 'max'], rows, numbers: [0, 6] };
}

function behindTable({ lateness }: TrafficReport): Table {
  const rows = (lateness?.behind ?? []).map(({ worker, second, due, late, skipped, maxMs }) => [
    String(second),
    String(worker),
    ...[due, late, skipped].map((journeys) => count(journeys)),
    time(maxMs),
  ]);
  return {
    titles: ['second', 'worker', 'journeys due', 'late', 'not begun', 'at most late by'],
    rows,
    numbers: [0, 5],
  };
}

function minuteTable({ minutes = [] }: TrafficReport): Table {
  const rows = minutes.map(({ minute, requests, errors, p50Ms, p99Ms, maxMs }) => [
    String(minute),
    count(requests),
    share(errors, requests),
    ...[p50Ms, p99Ms, maxMs].map((ms) => time(ms)),
  ]);
  return { titles: ['minute', 'answers', 'errors', 'p50', 'p99', 'max'], rows, numbers: [0, 5] };
}

/** Beyond this a slope may be chance. */
const mostChance = 0.05;

function driftIn({ drift, minutes = [] }: TrafficReport): readonly string[] {
  if (drift === undefined) return [];
  const [first, last] = [minutes[minutes.length - drift.minutes], minutes.at(-1)];
  const ends = `${time(first?.p99Ms ?? 0)} in the first, ${time(last?.p99Ms ?? 0)} in the last`;
  const chance = drift.chance < 0.001 ? 'less than 0.1 %' : `${Number((drift.chance * 100).toPrecision(2))} %`;
  return [
    drift.chance < mostChance
      ? `p99 by minute ${drift.perHourPercent < 0 ? 'fell' : 'rose'} by ${Math.abs(drift.perHourPercent).toFixed(1)} % an hour over ${drift.minutes} minutes (${ends}); by chance that comes out in ${chance} of the runs.`
      : `p99 by minute shows no drift over ${drift.minutes} minutes (${ends}).`,
  ];
}

function behindIn({ lateness, workers }: TrafficReport): readonly string[] {
  return [...Map.groupBy(lateness?.behind ?? [], ({ worker }) => worker)].map(([worker, seconds]) => {
    const [due, late] = [seconds, seconds].map((list, index) =>
      list.reduce((sum, one) => sum + (index === 0 ? one.due : one.late + one.skipped), 0),
    );
    const name = workers === 1 ? 'The generator' : `Worker ${worker} of ${workers}`;
    return `${name} did not keep its rate in ${stretchesOf(seconds.map(({ second }) => second))}: ${count(late ?? 0)} of ${counted(due ?? 0, 'journey')} began late or not at all, by up to ${time(Math.max(...seconds.map(({ maxMs }) => maxMs)))}. Latencies hold that wait.`;
  });
}

/** In fewer seconds a load is hardly there. */
const fewestSeconds = 10;
const slowerBy = 5;
const slowMs = 500;

/** A target that cannot keep up with a rate answers ever later. What a load that rises shows is told by its stages. */
function fallenBehindIn({ load, stages, seconds, lateness }: TrafficReport): readonly string[] {
  // latencies hold what the generator itself was late by
  if (load.model !== 'open' || stages !== undefined || lateness?.behind !== undefined) return [];
  const most = Math.max(...seconds.map(({ requests }) => requests));
  // at the end only those are answered that took longest
  const full = seconds.filter(({ requests }) => requests * 2 >= most);
  if (full.length < fewestSeconds) return [];
  const tenth = Math.floor(full.length / 10);
  const [first = 0, last = 0] = [full.slice(0, tenth), full.slice(-tenth)].map((part) =>
    Math.max(...part.map(({ p50Ms }) => p50Ms)),
  );
  return last >= slowMs && last >= slowerBy * first
    ? [
        `The target fell behind the load: half of its answers took up to ${time(first)} at the beginning, and up to ${time(last)} at the end.`,
      ]
    : [];
}

const mostStretches = 6;

/** As `second 3` or `seconds 3 to 5, 9`. */
function stretchesOf(seconds: readonly number[]): string {
  const stretches: [number, number][] = [];
  for (const second of seconds.toSorted((one, other) => one - other)) {
    const last = stretches.at(-1);
    if (last !== undefined && second <= last[1] + 1) last[1] = second;
    else stretches.push([second, second]);
  }
  const words = stretches
    .slice(0, mostStretches)
    .map(([from, to]) => (from === to ? String(from) : `${from} to ${to}`));
  const more = stretches.length > mostStretches ? ` and ${stretches.length - mostStretches} more stretches` : '';
  return `${seconds.length === 1 ? 'second' : 'seconds'} ${words.join(', ')}${more}`;
}

/** What was asked for, in words. */
function loadOf({ load, stages = [], segment }: Pick<TrafficReport, 'load' | 'stages' | 'segment'>): string {
  const part = segment === undefined ? '' : `segment ${segment.number} of ${segment.of} of `;
  const full = load.model === 'open' ? `${count(load.rate)} journeys a second` : counted(load.users, 'user');
  const byChance = load.model === 'open' && load.arrivals === 'poisson' ? ', each by chance (Poisson)' : '';
  return `${part}${stages.length === 0 ? '' : 'up to '}${full}${byChance}${stages.length === 0 ? '' : `, in ${counted(stages.length, 'stage')}`}`;
}

/** What a run came to, in sentences: the first is the verdict. */
function sentences(report: TrafficReport): readonly string[] {
  const { thresholds, deliveries, lateness, journeys, remarks, interrupted } = report;
  const goneFrom = goneFromSecond(report);
  const whole = journeys.reduce((sum, journey) => sum + journey.whole, 0);
  const begun = journeys.reduce((sum, journey) => sum + journey.begun, 0);
  return [
    ...(interrupted === true ? ['Interrupted: this is what was until then.'] : []),
    ...limitFound(report),
    verdictOf(report),
    ...declaredIn(report),
    `${count(whole)} of ${count(begun)} journeys came to their end without an error.`,
    ...(deliveries === undefined || deliveries.triggered === 0
      ? []
      : [
          `${count(deliveries.arrived)} of ${count(deliveries.triggered)} events arrived, half of them within ${time(deliveries.p50Ms)}, 99 % within ${time(deliveries.p99Ms)}.`,
        ]),
    ...(lateness === undefined
      ? []
      : [
          `Journeys began late by ${time(lateness.p50Ms)} in the median, ${time(lateness.p99Ms)} at the 99th percentile${lateness.skipped === 0 ? '' : `; ${count(lateness.skipped)} could not begin`}.`,
        ]),
    ...behindIn(report),
    ...fallenBehindIn(report),
    ...driftIn(report),
    ...(goneFrom === undefined
      ? []
      : [`From second ${goneFrom} on every request failed: the target was gone or refused everything.`]),
    ...thresholds.map(({ text, met, found }) => `Threshold ${text} was ${met ? 'kept' : 'missed'}: ${found}.`),
    ...remarks,
  ];
}

/** The last second of a run often holds a request or two: that these failed does not say that nobody was there. */
const fewestOfTheGone = 10;

/**
 * The second from which on, to the end, no request went well: one that waited in vain is an error only when its time is over.
 * Undefined where the last ones did, or are too few to tell.
 */
export function goneFromSecond({ seconds, all }: Pick<TrafficReport, 'seconds' | 'all'>): number | undefined {
  if (all.errors === all.requests) return undefined;
  const busy = seconds.filter(({ requests }) => requests > 0);
  const lastGood = busy.findLastIndex(({ requests, errors }) => errors < requests);
  const bad = busy.slice(lastGood + 1);
  if (bad.reduce((sum, { requests }) => sum + requests, 0) < fewestOfTheGone) return undefined;
  const good = busy[lastGood];
  return good === undefined ? bad[0]?.second : good.second + 1;
}

function declaredIn({ declared = [] }: TrafficReport): readonly string[] {
  if (declared.length === 0) return [];
  const times = declared.reduce((sum, { count: one }) => sum + one, 0);
  const reasons = declared.map(({ rule, reason }) => `${rule} (${reason})`).join(', ');
  return [
    `${counted(declared.length, 'rule was', 'rules were')} broken as the profile declares, ${counted(times, 'time')}, and left out of the verdict: ${reasons}.`,
  ];
}

function verdictOf({ judged, violations, declared = [] }: TrafficReport): string {
  if (judged.ratio === 0) return 'Nothing was judged.';
  const answers = `${count(judged.exchanges)} answers`;
  if (violations.length === 0)
    return `No rule was seen broken${declared.length === 0 ? '' : ' but as declared'} in ${answers}.`;
  const times = violations.reduce((sum, violation) => sum + violation.count, 0);
  return `${counted(violations.length, 'rule was', 'rules were')} broken, ${counted(times, 'time')} in ${answers}.`;
}

/** Latency by how many requests were no slower, both on logarithmic scales: from when a request was due, and from when it was sent. */
function latencyCurve({ all }: Pick<TrafficReport, 'all'>): string {
  const { raw } = all;
  const places = quantiles.filter(({ share: part }) => part < 1);
  const values = [all, ...(raw === undefined ? [] : [raw])].flatMap((one) => places.map(({ of }) => of(one)));
  const y = logScale(values, bottom, top);
  const x = (part: number): string =>
    place(left + ((right - left) * Math.log(0.5 / (1 - part))) / Math.log(0.5 / 0.0001));
  const line = (name: string, latencies: Latencies): string =>
    `<path class="line ${name}" d="M${places.map(({ share: part, of }) => `${x(part)} ${place(y.at(of(latencies)))}`).join('L')}"/>`;
  return plotText({ title: 'Latency by the share of requests that were no slower', height }, [
    lineKey('p99', `from ${countedFrom(all)}`, left, 24),
    ...(raw === undefined ? [] : [lineKey('p90', 'from when it was sent (raw)', left + 210, 24)]),
    ...grid(y, time),
    ...places.map(
      ({ share: part }) =>
        `<text class="soft" x="${x(part)}" y="${bottom + 22}" text-anchor="middle">${part * 100} %</text>`,
    ),
    ...(raw === undefined ? [] : [line('p90', raw)]),
    line('p99', all),
  ]);
}
