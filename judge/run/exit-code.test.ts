import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RuleId } from '../../contract/rule.ts';
import { exitCodeOf, weightOf, type Declared } from './exit-code.ts';
import { outcomeOf, outcomesArbitrary, someRules, standsOnArbitrary } from './outcomes.fixture.ts';
import { settle } from './settle.ts';

const [a, b] = someRules.slice(0, 2) as [RuleId, RuleId];
const nothing: Declared = { notSupported: {}, knownFailures: {} };
const knows = (rule: RuleId): Declared => ({ notSupported: {}, knownFailures: { [rule]: 'ticket 7' } });

const declaredArbitrary: fc.Arbitrary<Declared> = fc.record({
  notSupported: fc.dictionary(fc.constantFrom<string>(...someRules, 'array-port'), fc.constant('reason')),
  knownFailures: fc.dictionary(fc.constantFrom<string>(...someRules), fc.constant('reason')),
});

describe('exit code', () => {
  test.each([
    ['pass', 0],
    ['warn', 0],
    ['observed', 0],
    ['fail', 1],
    ['blocked', 3],
    ['broken', 3],
  ] as const)('a single %s exits with %i', (verdict, code) => {
    expect(exitCodeOf([outcomeOf(a, verdict)], nothing)).toBe(code);
  });

  test('a known failure is listed while it fails, and an error when it passes', () => {
    expect(exitCodeOf([outcomeOf(a, 'fail')], knows(a))).toBe(0);
    expect(exitCodeOf([outcomeOf(a, 'pass')], knows(a))).toBe(1);
    expect(weightOf(outcomeOf(a, 'pass'), knows(a))).toBe('stale');
  });

  test('a rule that stands on a known failure is explained by it', () => {
    const settled = settle([outcomeOf(a, 'fail'), outcomeOf(b, 'pass')], (rule) => (rule === b ? [a] : []));
    expect(exitCodeOf(settled, knows(a))).toBe(0);
    expect(exitCodeOf(settled, nothing)).toBe(1);
  });

  test('a rule that stands on a guideline that was not kept is explained by it', () => {
    const settled = settle([outcomeOf(a, 'warn'), outcomeOf(b, 'pass')], (rule) => (rule === b ? [a] : []));
    expect(settled[1]?.verdict).toBe('blocked');
    expect(exitCodeOf(settled, nothing)).toBe(0);
  });

  test('blocked is accepted where the need, the rule or a pattern is declared', () => {
    const blocked = [outcomeOf(a, 'blocked', { missing: ['array-port'] }), outcomeOf(b, 'pass')];
    for (const key of ['array-port', a, `${a.slice(0, 5)}*`]) {
      expect(exitCodeOf(blocked, { notSupported: { [key]: 'not here' }, knownFailures: {} })).toBe(0);
    }
    expect(exitCodeOf(blocked, { notSupported: { 'put-route': 'not here' }, knownFailures: {} })).toBe(3);
  });

  test('nothing that ran is 3, whatever is declared', () => {
    fc.assert(fc.property(declaredArbitrary, (declared) => void expect(exitCodeOf([], declared)).toBe(3)));
    expect(exitCodeOf([outcomeOf(a, 'blocked')], { notSupported: { [a]: 'not here' }, knownFailures: {} })).toBe(3);
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
          const code = exitCodeOf(settled, declared, aborted ? 'interrupted' : undefined);
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
        expect(exitCodeOf(outcomes, nothing) === 0).toBe(ran && !bad);
      }),
    );
  });
});
