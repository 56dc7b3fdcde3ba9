import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { states } from '../contract/schemas/report.ts';
import { assess } from './assessment.ts';
import { exitOf } from './exit.ts';
import { allIds, outcomeWith, runArbitrary, runWith } from './run.fixture.ts';

const [one, two, three] = allIds;
if (one === undefined || two === undefined || three === undefined) throw new Error('there are fewer than three rules');

describe('summary', () => {
  test('every rule of the catalogue stands in exactly one column', () => {
    fc.assert(
      fc.property(runArbitrary, (run) => {
        const { totals, areas } = assess(run);
        for (const counts of [totals, ...areas])
          expect(states.reduce((sum, state) => sum + counts[state], 0)).toBe(counts.rules);
        expect(totals.rules).toBe(run.rules.length);
        expect(areas.reduce((sum, area) => sum + area.rules, 0)).toBe(run.rules.length);
      }),
    );
  });

  test('a selected rule without an outcome was not run', () => {
    const run = runWith([]);
    expect(assess({ ...run, outcomes: run.outcomes.slice(1) }).totals['not-run']).toBe(1);
  });
});

describe('exit', () => {
  const ended = { kind: 'end', durationMs: 1, requests: 1, remains: [] } as const;
  const fail = outcomeWith(one, 'fail');
  test.each([
    ['all passed', runWith([]), 0, 'no rule is violated'],
    ['a breach', runWith([fail]), 1, '1 rule violated'],
    ['a known failure', runWith([fail], { knownFailures: { [one]: 'ticket' } }), 0, '1 known to fail'],
    [
      'a stale known failure',
      runWith([], { knownFailures: { [one]: 'ticket' } }),
      1,
      '1 known failure no longer fails',
    ],
    ['a stumble', runWith([outcomeWith(one, 'broken')]), 3, 'stumbled over 1 rule'],
    [
      'a target that went away',
      { ...runWith([outcomeWith(one, 'broken')]), footer: { ...ended, aborted: 'nothing answers' } },
      3,
      'ended early: nothing answers; 1 rule not judged to the end',
    ],
    [
      'blocked',
      runWith([outcomeWith(one, 'blocked', { missing: ['filter'] })]),
      3,
      '1 rule blocked without being declared',
    ],
    [
      'blocked for a reason on record',
      runWith([outcomeWith(one, 'blocked', { missing: ['filter'] })], { notSupported: { 'filt*': 'x' } }),
      0,
      '1 blocked for a reason on record',
    ],
    [
      'blocked for two needs, one declared',
      runWith([outcomeWith(one, 'blocked', { missing: ['filter', 'put-route'] })], { notSupported: { filter: 'x' } }),
      3,
      '1 rule blocked',
    ],
    [
      'blocked behind a known failure',
      runWith([fail, outcomeWith(two, 'blocked', { standsOn: [one] })], { knownFailures: { [one]: 'ticket' } }),
      0,
      '1 blocked',
    ],
    [
      'blocked behind a known failure and a rule that holds',
      runWith([fail, outcomeWith(two, 'blocked', { standsOn: [one, three] })], { knownFailures: { [one]: 'ticket' } }),
      3,
      '1 rule blocked',
    ],
    ['nothing ran', { ...runWith([], { selected: [] }), outcomes: [] }, 3, 'no rule was judged'],
  ])('%s', (_, run, code, words) => {
    expect(exitOf(run)).toMatchObject({ code, words: expect.stringContaining(words) });
  });

  test('a run without its last line is incomplete', () => {
    const { footer: _, ...cut } = runWith([]);
    expect(exitOf(cut)).toMatchObject({ code: 3, words: expect.stringContaining('cut off') });
  });
});
