import { describe, expect, test } from 'vitest';
import type { RuleId } from '../contract/rule.ts';
import { assess } from './assessment.ts';
import { likenessOf, nearestFaults } from './likeness.ts';
import { formats } from './formats.ts';
import { closingEvents } from './events.ts';
import { runSummary } from './run-summary.ts';
import { terminalText } from './terminal.ts';
import { outcomeWith, runWith } from './run.fixture.ts';
import matrix from './published/reference-server/kill-matrix.json' with { type: 'json' };

const faults = Object.entries(matrix.faults);
const judged = new Set(faults.flatMap(([fault, { collateral }]) => [fault, ...collateral]));

test('nothing failed, nothing is near', () => {
  expect(nearestFaults({ failed: new Set(), judged })).toEqual([]);
});

test('each published fault is nearest to its own pattern, or as near as one that fails alike', () => {
  for (const [fault, { collateral }] of faults) {
    const [first, second] = nearestFaults({ failed: new Set([fault, ...collateral]), judged });
    expect(first?.likeness).toBeCloseTo(1);
    expect([first, second].map((one) => one?.fault)).toContain(fault);
  }
});

test('many failures of different causes are like none', () => {
  const alone = faults.filter(([, { collateral }]) => collateral.length === 0).map(([fault]) => fault);
  expect(nearestFaults({ failed: new Set(alone.slice(0, 5)), judged })).toEqual([]);
});

test('a rule that fails with the fault and was not judged does not count against it', () => {
  const [fault, { collateral }] = faults.find((one) => one[1].collateral.length === 2) ??
    faults[0] ?? ['', { collateral: [] }];
  const failed = new Set([fault]);
  const likenessWith = (rules: ReadonlySet<string>): number | undefined =>
    nearestFaults({ failed, judged: rules }).find((one) => one.fault === fault)?.likeness;
  expect(likenessWith(judged)).toBeLessThan(0.9);
  expect(likenessWith(judged.difference(new Set(collateral)))).toBeCloseTo(1);
});

test('what fails with many faults tells less than what fails with few', () => {
  const times = Map.groupBy(
    faults.flatMap(([fault, { collateral }]) => [fault, ...collateral]),
    (rule) => rule,
  );
  const timesOf = (rule: string): number => times.get(rule)?.length ?? 0;
  const [common = ''] = [...times.keys()].toSorted((one, other) => timesOf(other) - timesOf(one));
  // a fault that fails with what many fail with, and with something of its own
  const rare = faults.filter(
    ([fault, { collateral }]) => fault !== common && timesOf(fault) === 1 && collateral.length === 0,
  );
  expect(rare.length).toBeGreaterThan(0);
  for (const [fault] of rare) {
    const [first] = nearestFaults({ failed: new Set([fault, common]), judged });
    expect(first?.fault).toBe(fault);
  }
});

describe('a run', () => {
  const [id, { collateral }] = faults.find((one) => one[1].collateral.length === 2) ?? ['', { collateral: [] }];
  const [fault, ...others] = [id, ...collateral] as RuleId[];
  if (fault === undefined) throw new Error('no fault is published with which three rules fail');

  test('is looked at as its cases ended, whatever was taken back because they stand on each other', () => {
    const taken = others.map((rule) => outcomeWith(rule, 'blocked', { byItself: 'fail', standsOn: [fault] }));
    expect(likenessOf(assess(runWith([outcomeWith(fault, 'fail'), ...taken])))[0]).toEqual({ fault, likeness: 1 });
  });

  test('is looked at without what the profile expects to fail', () => {
    const excused = others.map((rule) => outcomeWith(rule, 'fail'));
    const knownFailures = Object.fromEntries(others.map((rule) => [rule, 'ticket']));
    const run = runWith([outcomeWith(fault, 'fail'), ...excused], { knownFailures });
    expect(likenessOf(assess(run)).find((near) => near.fault === fault)).toEqual({ fault, likeness: 1 });
    expect(likenessOf(assess(runWith(excused, { knownFailures })))).toEqual([]);
  });

  test('tells it in every report, and on the terminal', () => {
    const run = runWith([outcomeWith(fault, 'fail'), ...others.map((rule) => outcomeWith(rule, 'fail'))]);
    const { badge: _, 'badge-json': __, ...reports } = formats;
    const texts = Object.values(reports).map(({ write }) => write(run));
    for (const text of [...texts, terminalText(runSummary(run)), JSON.stringify(closingEvents(run))])
      expect(text).toMatch(/looksLike|What it looks like/);
  });
});
