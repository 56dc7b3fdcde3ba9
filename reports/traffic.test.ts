import { expect, test } from 'vitest';
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
