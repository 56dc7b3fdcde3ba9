import { describe, expect, test } from 'vitest';
import { operationWith, secondWith, trafficReportWith } from '../contract/schemas/traffic.fixture.ts';
import { terminalText } from './terminal.ts';
import { goneFromSecond, trafficReport } from './traffic.ts';

const all = operationWith('all', { requests: 100, errors: 10 });

function goneAfter(...seconds: readonly (readonly [requests: number, errors: number])[]): number | undefined {
  return goneFromSecond({
    all,
    seconds: seconds.map(([requests, errors], second) => secondWith(second, { requests, errors })),
  });
}

test.each<[string, number | undefined, readonly (readonly [number, number])[]]>([
  [
    'the last seconds failed',
    1,
    [
      [20, 0],
      [6, 6],
      [0, 0],
      [4, 4],
    ],
  ],
  [
    'the last requests waited in vain for seconds',
    1,
    [
      [20, 0],
      [0, 0],
      [0, 0],
      [10, 10],
    ],
  ],
  [
    'too few requests failed at the end to tell',
    undefined,
    [
      [20, 0],
      [6, 6],
      [3, 3],
    ],
  ],
  [
    'one of the last requests went well',
    undefined,
    [
      [20, 20],
      [20, 19],
    ],
  ],
  ['nothing failed', undefined, [[20, 0]]],
])('a target is told to be gone, or not: %s', (_what, second, seconds) => expect(goneAfter(...seconds)).toBe(second));

test('a latency is called what it was counted from', () => {
  const sent = operationWith('all');
  const shown = (all: typeof sent): string => terminalText(trafficReport(trafficReportWith({ all })));
  expect(shown(sent)).toMatch(/^ *when it was sent /m);
  expect(shown({ ...sent, raw: sent })).toMatch(/^ *when it was due .*\n *when it was sent \(raw\) /m);
});

describe('a target that answers ever later', () => {
  const told = (p50Of: (second: number) => number, { seconds = 20, ...more }: { seconds?: number; stages?: [] } = {}) =>
    terminalText(
      trafficReport(
        trafficReportWith({
          load: { model: 'open', rate: 50 },
          seconds: Array.from({ length: seconds }, (_, second) =>
            secondWith(second, { requests: 50, p50Ms: p50Of(second) }),
          ),
          ...more,
        }),
      ),
    );
  const ever = (second: number): number => 10 + 200 * second;

  test('is said to have fallen behind', () =>
    expect(told(ever)).toMatch(
      /The target fell behind the load: half of its answers took up to 210 ms at the beginning, and up to 3\.81 s at the end\./,
    ));

  test.each<[string, (second: number) => number]>([
    ['stays as fast', () => 30],
    ['is slow all the time', () => 2000],
    ['warms up', (second) => 3000 / (second + 1)],
    ['is slower in the middle', (second) => (second > 5 && second < 12 ? 4000 : 20)],
    ['is a little slower', (second) => 20 + second],
  ])('is none that %s', (_what, p50Of) => expect(told(p50Of)).not.toContain('fell behind'));

  test('is not looked for in less than ten seconds, or where the load rises', () => {
    expect(told(ever, { seconds: 9 })).not.toContain('fell behind');
    expect(told(ever, { stages: [] })).not.toContain('fell behind');
  });
});
