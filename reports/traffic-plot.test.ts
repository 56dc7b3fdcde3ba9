import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secondWith, trafficReportWith } from '../contract/schemas/traffic.fixture.ts';
import type { SecondSummary, TrafficReport } from '../contract/schemas/traffic.ts';
import { clockTime, columnsOf, latencyPlot, linearScale, logScale, timeScale } from './traffic-plot.ts';

const ms = fc.double({ min: 0, max: 100_000, noNaN: true });
const aSecond = fc.record({
  requests: fc.nat(5000),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  p50Ms: ms,
  p90Ms: ms,
  p99Ms: ms,
  maxMs: ms,
  violations: fc.option(fc.nat(9), { nil: 0 }),
});
const run = fc
  .array(aSecond, { maxLength: 1200 })
  .map((list) =>
    list.map(({ share, ...one }, second) => ({ ...one, errors: Math.floor(one.requests * share), second })),
  );

function reportOf(seconds: readonly SecondSummary[], durationMs = seconds.length * 1000): TrafficReport {
  return trafficReportWith({
    implementation: '<b>',
    workers: 2,
    durationMs,
    seconds: [...seconds],
    thresholds: [
      { text: 'p99<20ms', met: true, found: '1ms' },
      { text: 'errors<1%', met: true, found: '0%' },
    ],
  });
}

test('the plot of any run stays on the page, and refers to nothing outside', () => {
  fc.assert(
    fc.property(run, (seconds) => {
      const svg = latencyPlot(reportOf(seconds));
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/https?:|url\(|href|<script|<b>/);
      const places = [...svg.matchAll(/ (?:cx|cy|x|y|x1|x2|y1|y2)="([^"]+)"/g)].map(([, value]) => Number(value));
      expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...places)).toBeLessThanOrEqual(960);
    }),
    { numRuns: 50 },
  );
});

test('a limit of all latencies is drawn, another threshold is not; a broken rule is marked', () => {
  const seconds = [0, 1, 2].map((second) => secondWith(second, { maxMs: 60, ...(second === 1 && { violations: 3 }) }));
  const svg = latencyPlot(reportOf(seconds));
  expect(svg.match(/class="limit"/g)).toHaveLength(1);
  expect(svg).toContain('<title>3 times from 1 s on</title>');
});

test('no line leads over seconds without an answer', () => {
  const seconds = [5, 0, 5].map((requests, second) => secondWith(second, { requests }));
  expect(
    /class="line p99" d="(M[^"]+)"/
      .exec(latencyPlot(reportOf(seconds)).replace(/class="line p99" d="M[^"]*h26"/, ''))?.[1]
      ?.match(/M/g),
  ).toHaveLength(2);
});

test('columns of a long run show the worst second, all answers and all violations', () => {
  fc.assert(
    fc.property(run, (seconds) => {
      const columns = columnsOf(seconds, seconds.length * 1000);
      expect(columns.length).toBeLessThanOrEqual(400);
      expect(Math.round(columns.reduce((sum, one) => sum + one.rate * one.seconds, 0))).toBe(
        seconds.reduce((sum, one) => sum + one.requests, 0),
      );
      expect(columns.reduce((sum, one) => sum + one.violations, 0)).toBe(
        seconds.reduce((sum, one) => sum + one.violations, 0),
      );
      const answered = seconds.filter(({ requests }) => requests > 0);
      expect(Math.max(0, ...columns.map(({ worst }) => worst?.p99Ms ?? 0))).toBe(
        Math.max(0, ...answered.map(({ p99Ms }) => p99Ms)),
      );
    }),
  );
});

test('a last second that was cut short is no dip', () => {
  const seconds = [0, 1].map((second) => ({
    second,
    requests: second === 0 ? 100 : 50,
    errors: 0,
    p50Ms: 1,
    p90Ms: 1,
    p99Ms: 1,
    maxMs: 1,
  }));
  expect(columnsOf(seconds, 1500).map(({ rate }) => rate)).toEqual([100, 100]);
  expect(columnsOf(seconds, 1050)).toHaveLength(1);
});

test('scales hold every value between their outer ticks', () => {
  fc.assert(
    fc.property(fc.array(ms, { minLength: 1 }), (values) => {
      const most = Math.max(...values);
      for (const scale of [logScale(values, 0, 100), linearScale(most, 0, 100)]) {
        for (const value of values) expect(scale.at(value)).toBeGreaterThanOrEqual(-1e-9);
        for (const value of values) expect(scale.at(value)).toBeLessThanOrEqual(100 + 1e-9);
        expect(scale.ticks.length).toBeLessThanOrEqual(12);
      }
    }),
  );
  expect(timeScale(90, 0, 90).ticks).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  expect([45, 90, 3725].map(clockTime)).toEqual(['45 s', '1:30', '1:02:05']);
});
