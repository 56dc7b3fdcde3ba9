import { expect, test } from 'vitest';
import type { OperationSummary, SecondSummary } from '../contract/schemas/traffic.ts';
import { goneFromSecond } from './traffic.ts';

const all: OperationSummary = {
  op: 'all',
  requests: 100,
  errors: 10,
  meanMs: 1,
  p50Ms: 1,
  p90Ms: 1,
  p95Ms: 1,
  p99Ms: 1,
  p999Ms: 1,
  p9999Ms: 1,
  maxMs: 1,
  outcomes: {},
};

function goneAfter(...seconds: readonly (readonly [requests: number, errors: number])[]): number | undefined {
  return goneFromSecond({
    all,
    seconds: seconds.map(([requests, errors], second): SecondSummary => ({
      second,
      requests,
      errors,
      p50Ms: 1,
      p90Ms: 1,
      p99Ms: 1,
      maxMs: 1,
    })),
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
