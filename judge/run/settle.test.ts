import { catalogue } from '../../suites/catalogue.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RuleId } from '../../contract/rule.ts';
import { isBreach, type Outcome } from '../outcome.ts';
import { outcomeOf, someRules } from './outcome.fixture.ts';
import { outcomesArbitrary, standsOnArbitrary } from './outcomes.fixture.ts';
import { settle, Settling } from './settle.ts';

const [a, b, c] = someRules.slice(0, 3) as [RuleId, RuleId, RuleId];
const chain = (rule: RuleId): readonly RuleId[] => ({ [b]: [a], [c]: [b] })[rule] ?? [];
const verdictsOf = (outcomes: ReturnType<typeof settle>): readonly string[] =>
  outcomes.map((outcome) => outcome.verdict);

describe('settle', () => {
  test('a pass that stands on a failed rule proves nothing', () => {
    const [, second] = settle([outcomeOf(a, 'fail'), outcomeOf(b, 'pass')], chain);
    expect(second).toMatchObject({ verdict: 'blocked', reason: `stands on ${a}, which failed`, standsOn: [a] });
  });

  test('the chain is followed through rules that failed themselves, down to the one that stands on nothing', () => {
    const settled = settle([outcomeOf(a, 'fail'), outcomeOf(b, 'fail'), outcomeOf(c, 'fail')], chain);
    expect(verdictsOf(settled)).toEqual(['fail', 'blocked', 'blocked']);
    expect(settled[2]?.standsOn).toEqual([a]);
  });

  test('a guideline that is not kept takes nothing from a rule that repeats its area: neither a pass nor a failure', () => {
    const model = 'versioning.sequence.matches-model';
    const guideline = outcomeOf('paging.link.absent-up-to-ten', 'warn');
    for (const verdict of ['pass', 'fail'] as const) {
      const [, settled] = settle([guideline, outcomeOf(model, verdict)], (rule) => catalogue.standsOn(rule));
      expect(settled).toMatchObject({ verdict });
    }
  });

  test('a guideline that a rule names explains its failure', () => {
    const settled = settle([outcomeOf(a, 'warn'), outcomeOf(b, 'fail')], chain);
    expect(settled[1]).toMatchObject({ verdict: 'blocked', reason: `stands on ${a}, which is not kept` });
  });

  test('a blocked rule blocks no other one, however it became blocked', () => {
    expect(verdictsOf(settle([outcomeOf(a, 'fail'), outcomeOf(b, 'pass'), outcomeOf(c, 'fail')], chain))).toEqual([
      'fail',
      'blocked',
      'fail',
    ]);
    expect(verdictsOf(settle([outcomeOf(b, 'blocked'), outcomeOf(c, 'pass')], chain))).toEqual(['blocked', 'pass']);
  });

  test('what failed on ground that could not be judged leans on what lies below it; what holds does not', () => {
    const stumbles = [
      outcomeOf(b, 'broken'),
      outcomeOf(b, 'blocked', { precondition: 'an object' }),
      outcomeOf(b, 'blocked', { missing: ['scalar-members'] }),
    ];
    for (const ground of stumbles) {
      const [, , failed] = settle([outcomeOf(a, 'fail'), ground, outcomeOf(c, 'fail')], chain);
      expect(failed).toMatchObject({ verdict: 'blocked', standsOn: [a] });
      expect(verdictsOf(settle([outcomeOf(a, 'fail'), ground, outcomeOf(c, 'pass')], chain))[2]).toBe('pass');
      expect(verdictsOf(settle([outcomeOf(a, 'pass'), ground, outcomeOf(c, 'fail')], chain))[2]).toBe('fail');
    }
  });

  test('a broken outcome that names a failed rule is blocked by it', () => {
    const settled = settle([outcomeOf(a, 'fail'), outcomeOf(c, 'broken', { standsOn: [b, a] })], () => []);
    expect(verdictsOf(settled)).toEqual(['fail', 'blocked']);
  });

  test('what could not be decided is blocked by a failed rule where it says that one may be the cause', () => {
    const [undecided, certain] = [outcomeOf(b, 'blocked', { standsOn: [] }), outcomeOf(b, 'blocked', { reason: 'no' })];
    expect(settle([outcomeOf(a, 'fail'), undecided], chain)[1]).toMatchObject({ standsOn: [a] });
    expect(settle([outcomeOf(a, 'pass'), undecided], chain)[1]).toEqual(undecided);
    expect(settle([outcomeOf(a, 'fail'), certain], chain)[1]).toEqual(certain);
  });

  test('what the case found by itself stays as a remark, not as a violation', () => {
    const [, second] = settle([outcomeOf(a, 'fail'), outcomeOf(b, 'fail')], chain);
    expect(second?.violation).toBeUndefined();
    expect(second?.remarks).toEqual(['by itself the case found other, expected one']);
    expect(second?.byItself).toBe('fail');
  });

  test('in any graph: settling twice is settling once, nothing gets worse, and a breach never disappears', () => {
    fc.assert(
      fc.property(outcomesArbitrary, standsOnArbitrary, (outcomes, standsOn) => {
        const settled = settle(outcomes, standsOn);
        expect(settle(settled, standsOn)).toEqual(settled);
        settled.forEach((after, index) => expect([outcomes[index]?.verdict, 'blocked']).toContain(after.verdict));
        expect(settled.some(isBreach)).toBe(outcomes.some(isBreach));
      }),
    );
  });

  test('in any graph: blocked by settling means that a rule it stands on broke', () => {
    fc.assert(
      fc.property(outcomesArbitrary, standsOnArbitrary, (outcomes, standsOn) => {
        const broken = new Set(outcomes.filter(isBreach).map((outcome) => outcome.rule));
        settle(outcomes, standsOn).forEach((after, index) => {
          if (after.verdict !== outcomes[index]?.verdict)
            expect((after.standsOn ?? []).every((rule) => broken.has(rule))).toBe(true);
        });
      }),
    );
  });

  test('the rules of the contract stand on each other without a circle', () => {
    const allFailed = settle(
      catalogue.all.map((rule) => outcomeOf(rule.id, 'fail')),
      (id) => catalogue.standsOn(id),
    );
    const expected = catalogue.all.map(({ id }) => (catalogue.standsOn(id).length === 0 ? 'fail' : 'blocked'));
    expect(verdictsOf(allFailed)).toEqual(expected);
  });
});

test('while outcomes come each is told once, as it stands when all are known, and nothing waits longer than for the last', () => {
  fc.assert(
    fc.property(outcomesArbitrary, standsOnArbitrary, (outcomes, standsOn) => {
      const settling = new Settling(
        outcomes.map(({ rule }) => rule),
        standsOn,
      );
      const told = outcomes.flatMap((outcome) => settling.hear(outcome));
      const byRule = (list: readonly Outcome[]): readonly Outcome[] =>
        list.toSorted((one, other) => (one.rule < other.rule ? -1 : 1));
      expect(byRule(told)).toEqual(byRule(settle(outcomes, standsOn)));
    }),
  );
});
