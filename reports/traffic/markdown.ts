import type { TrafficReport } from '../../contract/schemas/traffic.ts';
import { block, code, inline, table } from '../markdown/text.ts';
import { operationHead, operationRows, sentences } from './rows.ts';
import { rate, time } from './figures.ts';

export function trafficMarkdown(report: TrafficReport): string {
  const { implementation, target, seed, load, durationMs, requestsPerSecond, journeys, thresholds, violations } = report;
  const loaded = load.model === 'open' ? `${load.rate} journeys a second` : `${load.users} users`;
  const parts = [
    `# Traffic on ${inline(implementation)}`,
    `${inline(target)}, ${loaded} for ${time(durationMs)}, ${rate(requestsPerSecond)} requests, seed ${seed}, ${inline(report.startedAt)}`,
    sentences(report).map((sentence) => `- ${inline(sentence)}`).join('\n'),
    ...(violations.length === 0 ? [] : ['## Broken rules', ...violations.flatMap(violationParts)]),
    '## Operations',
    table([...operationHead], operationRows(report).map((row) => row.map(inline)), 1),
    '## Journeys',
    table(['journey', 'begun', 'whole'], journeys.map((one) => [inline(one.journey), String(one.begun), String(one.whole)]), 1),
    ...(thresholds.length === 0 ? [] : ['## Thresholds', table(['threshold', 'found', 'met'], thresholds.map(({ text, found, met }) => [code(text), inline(found), met ? 'yes' : 'no']))]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function violationParts({ rule, expected, actual, count, curl }: TrafficReport['violations'][number]): readonly string[] {
  return [
    `### ${inline(rule)}`,
    `${count === 1 ? 'Once' : `${count} times`}. Expected: ${inline(expected)}. Found: ${inline(actual)}.`,
    ...(curl === undefined ? [] : [block(curl)]),
  ];
}
