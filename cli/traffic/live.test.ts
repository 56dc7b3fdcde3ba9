import { expect, test } from 'vitest';
import { liveWords } from './live.ts';

const load = { durationMs: 12_000, violations: 0 };

test('a second of a load is told with its latencies and errors', () => {
  const second = { requests: 50, errors: 41, p50Ms: 0.828, p99Ms: 119 };
  expect(liveWords({ ...load, elapsedMs: 7003, second })).toBe(
    '7/12 s  50/s  p50 0.828 ms  p99 119 ms  errors 82 %  violations 0',
  );
});

test.each([[undefined], [{ requests: 0, errors: 0, p50Ms: 0, p99Ms: 0 }]])(
  'one in which nothing was answered has neither',
  (second) => {
    expect(liveWords({ ...load, elapsedMs: 14_000, second })).toBe(
      '12/12 s, waiting for what is under way  0/s  no answer  violations 0',
    );
  },
);
