import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { memoryPages, validateXML } from 'xmllint-wasm';
import { trafficReportWith } from '../contract/schemas/traffic.fixture.ts';
import type { OperationSummary } from '../contract/schemas/traffic.ts';
import { trafficFormats } from './traffic-formats.ts';

const nasty = '"><script>alert(1)</script>\\ \n\u001b[31m\u202e {x="y"} #';

function operation(op: string, factor = 1): OperationSummary {
  const latencies = { p50Ms: 1, p90Ms: 2, p95Ms: 3, p99Ms: 20, p999Ms: 100, p9999Ms: 1900, maxMs: 2000 };
  const raw = { ...latencies, p99Ms: 4, p999Ms: 5, p9999Ms: 6, maxMs: 7 };
  return { op, requests: 10 * factor, errors: 1, meanMs: 2, outcomes: { 200: 9, [nasty]: 1 }, ...latencies, raw };
}

const report = trafficReportWith({
  implementation: nasty,
  target: 'http://service.example',
  load: { model: 'open', rate: 5, arrivals: 'poisson' },
  stages: [
    { seconds: 1, to: 1 },
    { seconds: 2, to: 0 },
  ],
  durationMs: 3000,
  requestsPerSecond: 7,
  all: operation('all', 2),
  operations: [operation('read'), operation(nasty)],
  journeys: [{ journey: 'reader', begun: 3, whole: 2, steps: [operation('read', 3)] }],
  seconds: [0, 1, 2].map((second) => ({ second, requests: 7, errors: 0, p50Ms: 1, p90Ms: 2, p99Ms: 20, maxMs: 2000 })),
  lateness: {
    p50Ms: 1,
    p99Ms: 2,
    maxMs: 90,
    skipped: 4,
    behind: [1, 2].map((second) => ({ worker: 1, second, due: 5, late: 1, skipped: 2, maxMs: 90 })),
  },
  judged: { ratio: 1, exchanges: 20 },
  violations: [
    {
      rule: 'paging.link.total-number',
      expected: '3',
      actual: nasty,
      count: 2,
      curl: 'curl x',
      answer: `200\nx: y\n\n${nasty}`,
    },
  ],
  thresholds: [
    { text: 'p99<200ms', met: true, found: '20ms' },
    { text: 'errors<1%', met: false, found: '5%' },
  ],
  remarks: [nasty],
});

test('JUnit XML fits the schema, with a failure for each threshold that was missed and each rule that was broken', async () => {
  const xml = trafficFormats.junit.write(report);
  const schema = await readFile(new URL('./fixtures/junit.xsd', import.meta.url), 'utf8');
  const { errors } = await validateXML({
    xml: { fileName: 'traffic.xml', contents: xml },
    schema: [schema],
    maxMemoryPages: 4 * memoryPages.defaultMaxMemoryPages,
  });
  expect(errors).toEqual([]);
  expect(xml).toContain('tests="4" failures="2" errors="1"');
  const good = trafficFormats.junit.write({
    ...report,
    violations: [],
    thresholds: [],
    lateness: { p50Ms: 1, p99Ms: 2, maxMs: 3, skipped: 0 },
  });
  expect(good).toContain('tests="2" failures="0" errors="0"');
});

describe('OpenMetrics', () => {
  const text = trafficFormats.openmetrics.write(report);

  test('every line is one of the format, and samples stand with their family', () => {
    expect(text.endsWith('\n# EOF\n')).toBe(true);
    const value = String.raw`-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
    const label = String.raw`[a-z]+="(?:[^"\\\n]|\\["\\n])*"`;
    const sample = new RegExp(`^(?<name>[a-z_]+)(?:\\{${label}(?:,${label})*\\})? ${value}$`);
    const families = new Set<string>();
    let family = '';
    for (const line of text.split('\n').slice(0, -2)) {
      const [, kind, name = ''] = /^# (TYPE|HELP|UNIT) ([a-z_]+) .+$/.exec(line) ?? [];
      if (kind === 'TYPE') {
        expect(families).not.toContain(name);
        families.add((family = name));
      } else if (kind !== undefined) expect(name).toBe(family);
      else
        expect(sample.exec(line)?.groups?.['name'], line).toMatch(
          new RegExp(`^${family}(?:_total|_info|_count|_sum)?$`),
        );
    }
  });

  test('says in seconds what the report says in ms, raw beside', () => {
    expect(text).toContain('svc_traffic_latency_seconds{op="read",quantile="0.9999"} 1.9\n');
    expect(text).toContain('svc_traffic_raw_latency_seconds{op="read",quantile="0.9999"} 0.006\n');
    expect(text).toContain('svc_traffic_threshold_kept{threshold="errors<1%"} 0\n');
    expect(text).toContain('svc_traffic_violations_total{rule="paging.link.total-number"} 2\n');
  });
});

test('the page draws seconds and curve, tells of steps and answers, and lets nothing of a target out of its text', () => {
  const page = trafficFormats.html.write(report);
  expect(page.match(/<img class="drawing"/g)).toHaveLength(2);
  expect(page).toContain('img-src data:');
  expect(page).toMatch(/<th scope="col">step<\/th>/);
  expect(page).toContain('the answer');
  expect(page).toContain(
    'did not keep its rate in seconds 1 to 2: 6 of 10 journeys began late or not at all, by up to 90',
  );
  expect(page).not.toMatch(/<script|\u001b|\u202e/);
  for (const [, drawing = ''] of page.matchAll(/base64,([^"]+)"/g))
    expect(Buffer.from(drawing, 'base64').toString()).toMatch(/^<svg [^]*<\/svg>\n$/);
});

test('a search for the limit is drawn as latency by rate, and in the place of the seconds where a drawing alone is asked for', () => {
  const tried = [
    { rate: 40, verdict: 'kept', found: '20ms', p50Ms: 5, p99Ms: 20 },
    { rate: 20, verdict: 'kept', found: '12ms', p50Ms: 4, p99Ms: 12 },
    { rate: 80, verdict: 'missed', found: '900ms', p50Ms: 300, p99Ms: 900 },
  ] as const;
  const limit = { text: 'p99<200ms', met: true, found: '20ms' };
  const found = { ...report, tried: [...tried], thresholds: [limit] };
  const drawing = trafficFormats.svg.write(found);
  expect(drawing).toContain('p99&lt;200ms is kept up to 40 journeys a second');
  expect(drawing.match(/<circle class="max"/g)).toHaveLength(5);
  expect(trafficFormats.html.write(found).match(/<img class="drawing"/g)).toHaveLength(3);
  expect(trafficFormats.svg.write(report)).toContain('over the time of the run');
});
