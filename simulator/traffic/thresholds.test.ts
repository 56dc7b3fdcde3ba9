import { expect, test } from 'vitest';
import { operationWith } from '../../contract/schemas/traffic.fixture.ts';
import { judgeThreshold, thresholdFrom } from './thresholds.ts';

const summary = (op: string) =>
  operationWith(op, {
    requests: 200,
    errors: 3,
    meanMs: 10,
    p50Ms: 8,
    p90Ms: 20,
    p95Ms: 30,
    p99Ms: 40,
    p999Ms: 40,
    p9999Ms: 40,
    maxMs: 50,
  });
const operations = [summary('all'), { ...summary('read'), p95Ms: 5 }, { ...summary('delete file'), p95Ms: 5 }];

test.each([
  ['p99<40ms', false],
  ['p99<41ms', true],
  ['p99 < 0.041s', true],
  ['p99.9<40ms', false],
  ['p99.99 < 0.041s', true],
  ['errors<1.5%', false],
  ['errors<2%', true],
  ['rate>19/s', true],
  ['rate>20/s', false],
  ['read:p95<6ms', true],
  ['write:p95<6ms', false],
  ['delete file: p95 < 6ms', true],
])('%s is met: %s', (text, met) => {
  expect(judgeThreshold(thresholdFrom(text), operations, 10).met).toBe(met);
});

test.each([
  ['p99<200', 'p99<200ms'],
  ['read:errors<1', 'read:errors<1%'],
  ['rate>100', 'rate>100/s'],
])('%s without a unit is told what to write', (text, right) => {
  expect(() => thresholdFrom(text)).toThrow(`(write ${right})`);
});

test.each([
  '',
  'p99',
  'p98<1ms',
  'p99<1%',
  'errors<1ms',
  'rate>1',
  'p99<-1ms',
  'p99<=1ms',
  'a:b:p99<1ms',
  'toString<1ms',
])('%j is refused with an example', (text) => {
  expect(() => thresholdFrom(text)).toThrow(/as in p99<200ms/);
});
