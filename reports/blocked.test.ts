import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RuleId } from '../contract/rule.ts';
import { assess } from './assessment.ts';
import { blockedOf, circleOf, gapSentence, gapTable } from './blocked.ts';
import { writeMarkdown } from './formats.ts';
import type { Run } from './run.ts';
import { allIds, outcomeWith, runArbitrary, runWith } from './run.fixture.ts';

/** The rule at that place of the catalogue. */
function idAt(index: number): RuleId {
  const id = allIds[index];
  if (id === undefined) throw new Error(`no rule ${index} is built`);
  return id;
}

const someNeeds = ['array-port', 'put-route', 'delete-route', 'openapi'] as const;

/** The same run of a profile that declares these needs: a rule then lacks no others. */
function declineAll({ outcomes, header }: Run, notSupported: Readonly<Record<string, string>>): Run {
  const declined = outcomes.map(({ rule, missing = [] }) => {
    const named = missing.filter((need) => need in notSupported);
    return outcomeWith(rule, 'blocked', { missing: named.length > 0 ? named : missing, reason: 'not here' });
  });
  return runWith(declined, { ...header, notSupported });
}

const lacking = fc
  .tuple(
    fc.array(fc.subarray([...someNeeds], { minLength: 1 }), { maxLength: 12 }),
    fc.dictionary(fc.constantFrom(...someNeeds), fc.constant('not here')),
  )
  .map(([missing, notSupported]) => {
    const outcomes = missing.map((needs, index) => {
      const reason = needs.map((need) => `the profile does not meet ${need}: add ${need}`).join('; ');
      return outcomeWith(idAt(index), 'blocked', { missing: needs, reason });
    });
    return runWith(outcomes, { notSupported });
  });

test('every rule that lacks a need is unlocked by one line, the last of its needs', () => {
  fc.assert(
    fc.property(lacking, (run) => {
      const { gaps, lacking: all } = blockedOf(run, assess(run));
      expect(gaps.reduce((sum, { unlocks }) => sum + unlocks, 0)).toBe(all.length);
      expect(new Set(gaps.map(({ need }) => need)).size).toBe(gaps.length);
      for (const { unlocks, members } of gaps) expect(unlocks).toBeLessThanOrEqual(members.length);
      const declared = gaps.map(({ isDeclared }) => Number(isDeclared));
      expect(declared).toEqual(declared.toSorted());
    }),
  );
});

test('what is said to account for the rules does so once it is declared', () => {
  fc.assert(
    fc.property(lacking, (run) => {
      const { gaps, least } = blockedOf(run, assess(run));
      expect(least.length).toBeLessThanOrEqual(gaps.length);
      const named = Object.fromEntries(least.map(({ need }) => [need, 'neither']));
      const notSupported = { ...run.header.notSupported, ...named };
      const declared = declineAll(run, notSupported);
      expect(blockedOf(declared, assess(declared)).least).toEqual([]);
    }),
  );
});

test('whatever a run holds, every blocked rule stands in one part of three', () => {
  fc.assert(
    fc.property(runArbitrary, (run) => {
      const assessment = assess(run);
      const { lacking: needy, causes, others } = blockedOf(run, assessment);
      const violated = assessment.standings.filter(({ state }) => state === 'fail' || state === 'warn');
      expect(violated.map(({ rule }) => rule.id)).toEqual(expect.arrayContaining([...causes.keys()]));
      const ids = [...needy, ...[...causes.values()].flat(), ...others].map(({ rule }) => rule.id);
      expect(ids.toSorted()).toEqual(
        assessment.standings
          .filter(({ state }) => state === 'blocked')
          .map(({ rule }) => rule.id)
          .toSorted(),
      );
    }),
  );
});

test('needs that unlock something together follow each other', () => {
  const of = (index: number, ...missing: string[]) =>
    outcomeWith(idAt(index), 'blocked', { missing, reason: 'the profile does not meet put-route: add it' });
  const run = runWith([of(0, 'openapi'), of(1, 'openapi', 'put-route'), of(2, 'openapi', 'put-route')]);
  expect(gapTable(blockedOf(run, assess(run)).gaps).rows.map((row) => row.slice(0, 3))).toEqual([
    ['openapi', '1', '3'],
    ['put-route', '2', '2'],
  ]);
  expect(gapSentence(blockedOf(run, assess(run)))).toMatch(/it is enough to name under notSupported: openapi\.$/);
});

test('a need that a pattern declares stands as declared, with the reason', () => {
  const outcomes = [outcomeWith(idAt(0), 'blocked', { missing: ['put-route'], reason: 'no PUT' })];
  const run = runWith(outcomes, { notSupported: { '*-route': 'objects are edited member by member' } });
  expect(blockedOf(run, assess(run)).gaps).toMatchObject([
    { isDeclared: true, hint: 'declared as not supported: objects are edited member by member' },
  ]);
});

test('what waits for one another is told with the rules that judge it, and what waits for one that holds is not', () => {
  const precondition = 'the case needs an object with eleven entries; the answer was 200';
  const [first, second, third] = [idAt(0), idAt(1), idAt(2)];
  const stuck = (rule: RuleId, standsOn: readonly RuleId[]) =>
    outcomeWith(rule, 'blocked', { reason: precondition, precondition, standsOn });
  const run = runWith([stuck(first, [first, second]), stuck(second, [first]), stuck(third, [first, second])]);
  expect(circleOf(blockedOf(run, assess(run)))).toEqual({ waiting: 3, grounds: [first, second] });
  expect(writeMarkdown(run)).toMatch(/3 rules of these wait for what .* judge, which could not be judged for the lack/);
  const alone = runWith([stuck(first, [second]), outcomeWith(second, 'pass')]);
  expect(circleOf(blockedOf(alone, assess(alone))).grounds).toEqual([]);
  expect(writeMarkdown(alone)).not.toContain('of these wait');
});
