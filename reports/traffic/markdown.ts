import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import { block, code, inline, table } from '../markdown/text.ts';
import { counted } from '../text.ts';
import { count, rate, share, time } from './figures.ts';
import { loadOf, operationHead, operationRows, sentences } from './rows.ts';

/** How many of the slowest seconds are shown. */
const shownSeconds = 5;

export function trafficMarkdown(report: TrafficReport): string {
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
