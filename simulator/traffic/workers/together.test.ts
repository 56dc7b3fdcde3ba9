import { expect, test } from 'vitest';
import { madeUp } from '../judging/made-up.fixture.ts';
import { mergeRemarks, mergeViolations } from './together.ts';

test('a rule that several workers saw broken is told once, with the earliest of what they show', () => {
  const rule = 'caching.changed.status-200';
  const found = (count: number, endedAt: number) =>
    ({
      rule,
      expected: 'x',
      actual: `at ${endedAt}`,
      count,
      bySecond: new Map([[0, count]]),
      exchange: madeUp({ endedAt }),
    }) as const;
  const other = {
    rule: 'auth.jwt.tampered-refused',
    expected: 'y',
    actual: 'z',
    count: 1,
    bySecond: new Map([[4, 1]]),
  } as const;
  expect(mergeViolations([found(2, 30), other, found(3, 10)])).toEqual([
    other,
    { ...found(3, 10), count: 5, bySecond: new Map([[0, 5]]) },
  ]);
});

test('remarks of several workers are said once, and counts in them added up', () => {
  const thinks = 'This engine cannot wait.';
  expect(mergeRemarks([[thinks, '3 connections ended.'], [thinks], [thinks, '4 connections ended.']])).toEqual([
    thinks,
    '7 connections ended.',
  ]);
});
