import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RuleId } from '../contract/rule.ts';
import type { Outcome, RunHeader } from '../judge/outcome.ts';
import { outcomeOf, someRules } from '../judge/run/outcome.fixture.ts';
import { outcomesArbitrary, standsOnArbitrary } from '../judge/run/outcomes.fixture.ts';
import { settle } from '../judge/run/settle.ts';
import { exitOf } from './exit.ts';
import { runWith } from './run.fixture.ts';
import type { Run } from './run.ts';

const [a, b] = someRules.slice(0, 2) as [RuleId, RuleId];

/** A run that selected these outcomes' rules, and those named besides. */
function runOf(outcomes: readonly Outcome[], header: Partial<RunHeader> = {}, aborted?: string): Run {
  const footer = { kind: 'end', durationMs: 1, remains: [], requests: 1 } as const;
  return {
    ...runWith([], { selected: outcomes.map(({ rule }) => rule), ...header }),
    outcomes,
    footer: { ...footer, ...(aborted !== undefined && { aborted }) },
  };
}

const codeOf = (...of: Parameters<typeof runOf>): number => exitOf(runOf(...of)).code;
const knows = (rule: RuleId): Partial<RunHeader> => ({ knownFailures: { [rule]: 'ticket 7' } });
const reasons = fc.dictionary(fc.constantFrom<string>(...someRules, 'array-port'), fc.constant('reason'));
const declaredArbitrary = fc.record({ notSupported: reasons, knownFailures: reasons });

describe('exit code', () => {
  test.each([
    ['pass', 0],
    ['warn', 0],
    ['observed', 0],
    ['fail', 1],
    ['blocked', 3],
    ['broken', 3],
  ] as const)('a single %s exits with %i', (verdict, code) => {
    expect(codeOf([outcomeOf(a, verdict)])).toBe(code);
  });

  test('a rule that was selected and has no outcome is a gap, whatever became of the others', () => {
    expect(codeOf([outcomeOf(a, 'pass')], { selected: [a, b] })).toBe(3);
    expect(codeOf([outcomeOf(a, 'fail')], { selected: [a, b] })).toBe(1);
  });

  test('what was only seen, and held against nothing, proves nothing', () => {
    expect(exitOf(runOf([outcomeOf(a, 'observed', { assertions: 0 })]))).toMatchObject({
      code: 3,
      words: expect.stringContaining('held against nothing'),
    });
    expect(codeOf([outcomeOf(a, 'observed', { assertions: 0 }), outcomeOf(b, 'pass')])).toBe(0);
  });

  test('a known failure is listed while it fails, and an error when it passes', () => {
    expect(codeOf([outcomeOf(a, 'fail')], knows(a))).toBe(0);
    expect(codeOf([outcomeOf(a, 'pass')], knows(a))).toBe(1);
  });

  test.each([
    ['pass', 0],
    ['blocked', 0],
    ['broken', 0],
    ['fail', 3],
  ] as const)('a rule that is a %s by itself, on a guideline that is not kept, exits with %i', (verdict, code) => {
    const own = outcomeOf(b, verdict, verdict === 'blocked' ? { precondition: 'a link' } : {});
    const settled = settle([outcomeOf(a, 'warn'), own], (rule) => (rule === b ? [a] : []));
    expect(codeOf(settled)).toBe(code);
    expect(codeOf(settled, knows(a))).toBe(0);
    if (verdict === 'fail') expect(exitOf(runOf(settled)).words).toContain('1 rule not kept behind a guideline');
  });

  test('a rule that stands on a known failure is explained by it', () => {
    const settled = settle([outcomeOf(a, 'fail'), outcomeOf(b, 'pass')], (rule) => (rule === b ? [a] : []));
    expect(codeOf(settled, knows(a))).toBe(0);
    expect(codeOf(settled)).toBe(1);
  });

  test('a rule that stands on a guideline that was not kept is explained by it', () => {
    const settled = settle([outcomeOf(a, 'warn'), outcomeOf(b, 'pass')], (rule) => (rule === b ? [a] : []));
    expect(settled[1]?.verdict).toBe('blocked');
    expect(codeOf(settled)).toBe(0);
  });

  test('blocked is accepted where the need, the rule or a pattern is declared', () => {
    const blocked = [outcomeOf(a, 'blocked', { missing: ['array-port'] }), outcomeOf(b, 'pass')];
    for (const key of ['array-port', a, `${a.slice(0, 5)}*`])
      expect(codeOf(blocked, { notSupported: { [key]: 'not here' } })).toBe(0);
    expect(codeOf(blocked, { notSupported: { 'put-route': 'not here' } })).toBe(3);
  });

  test.each(['broken', 'blocked'] as const)('%s counts although the report before has it as well', (verdict) => {
    const since = { report: 'report.json', states: { [a]: verdict } };
    expect(codeOf([outcomeOf(a, verdict), outcomeOf(b, 'pass')], { gate: { since } })).toBe(3);
    expect(codeOf([outcomeOf(a, verdict), outcomeOf(b, 'fail')], { gate: { since } })).toBe(1);
  });

  test('nothing that ran is 3, whatever is declared', () => {
    fc.assert(fc.property(declaredArbitrary, (declared) => void expect(codeOf([], declared)).toBe(3)));
    expect(codeOf([outcomeOf(a, 'blocked')], { notSupported: { [a]: 'not here' } })).toBe(3);
  });

  test('no run with an undeclared violation or an abort exits with 0', () => {
    fc.assert(
      fc.property(
        outcomesArbitrary,
        declaredArbitrary,
        standsOnArbitrary,
        fc.boolean(),
        (outcomes, declared, standsOn, aborted) => {
          const settled = settle(outcomes, standsOn);
          const code = codeOf(settled, declared, aborted ? 'interrupted' : undefined);
          const violated = settled.some(
            (outcome) => outcome.verdict === 'fail' && !Object.hasOwn(declared.knownFailures, outcome.rule),
          );
          expect(code === 1 || !violated).toBe(true);
          expect(code === 0 && aborted).toBe(false);
        },
      ),
    );
  });

  test('0 means: something ran, nothing broke, all that is blocked is declared', () => {
    fc.assert(
      fc.property(outcomesArbitrary, (outcomes) => {
        const bad = outcomes.some((outcome) => ['fail', 'broken', 'blocked'].includes(outcome.verdict));
        const ran = outcomes.some((outcome) => ['pass', 'warn', 'observed', 'fail'].includes(outcome.verdict));
        expect(codeOf(outcomes) === 0).toBe(ran && !bad);
      }),
    );
  });
});
