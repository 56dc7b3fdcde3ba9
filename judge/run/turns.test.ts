import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RuleId } from '../../contract/rule.ts';
import { someRules } from './outcome.fixture.ts';
import { openTurns } from './turns.ts';

const never = new AbortController().signal;

interface Seen {
  readonly mostOrdinary: number;
  readonly mostSchedules: number;
  /** Whether a schedule was under way together with another case. */
  readonly mixed: boolean;
  readonly ended: number;
}

async function run(
  rules: readonly RuleId[],
  schedules: ReadonlySet<RuleId>,
  width: number,
  jumps: boolean,
): Promise<Seen> {
  const turns = openTurns(rules, width, { secondsOf: (rule) => (schedules.has(rule) ? 5 : undefined), jumps });
  const under = { ordinary: 0, schedule: 0 };
  const seen = { mostOrdinary: 0, mostSchedules: 0, mixed: false, ended: 0 };
  await Promise.all(
    rules.map((rule) =>
      turns.take(rule, never, async () => {
        const kind = schedules.has(rule) ? 'schedule' : 'ordinary';
        under[kind] += 1;
        seen.mostOrdinary = Math.max(seen.mostOrdinary, under.ordinary);
        seen.mostSchedules = Math.max(seen.mostSchedules, under.schedule);
        seen.mixed ||= under.ordinary > 0 && under.schedule > 0;
        await turn();
        under[kind] -= 1;
        seen.ended += 1;
      }),
    ),
  );
  return seen;
}

test('ordinary cases keep to the width, schedules begin all together, after the others where time jumps', async () => {
  const rules = someRules.slice(0, 12);
  const split = fc.record({
    marks: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
    width: fc.integer({ min: 1, max: 6 }),
    jumps: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(split, async ({ marks, width, jumps }) => {
      const schedules = new Set(rules.filter((_rule, index) => marks[index]));
      const seen = await run(rules, schedules, width, jumps);
      expect(seen.ended).toBe(rules.length);
      expect(seen.mostOrdinary).toBe(Math.min(width, rules.length - schedules.size));
      expect(seen.mostSchedules).toBe(schedules.size);
      if (jumps) expect(seen.mixed).toBe(false);
    }),
  );
});

test('a case that throws gives its place away, and one that is called off never begins', async () => {
  const [first, second, third] = someRules.slice(0, 3) as [RuleId, RuleId, RuleId];
  const turns = openTurns([first, second, third], 1, {
    secondsOf: (rule) => (rule === third ? 1 : undefined),
    jumps: true,
  });
  const stop = new AbortController();
  const held = Promise.withResolvers<string>();
  const failing = turns.take(first, never, () => held.promise);
  const calledOff = turns.take(second, stop.signal, async () => 'began');
  const last = turns.take(third, never, async () => 'began');
  stop.abort();
  expect(await calledOff).toBeUndefined();
  held.reject(new Error('thrown'));
  await expect(failing).rejects.toThrow('thrown');
  expect(await last).toBe('began');
});

test('cases for the end come after all others, each alone, and are called off one by one', async () => {
  const [ordinary, schedule, first, second, third] = someRules.slice(0, 5) as [RuleId, RuleId, RuleId, RuleId, RuleId];
  const rules = [first, second, third, schedule, ordinary];
  const comesLast = (rule: RuleId): boolean => rules.indexOf(rule) < 3;
  const turns = openTurns(rules, 4, {
    secondsOf: (rule) => (rule === schedule ? 1 : undefined),
    jumps: false,
    comesLast,
  });
  const stop = new AbortController();
  const began: RuleId[] = [];
  const holds = new Map(rules.map((rule) => [rule, Promise.withResolvers<void>()]));
  const all = rules.map((rule) =>
    turns.take(rule, rule === second ? stop.signal : never, async () => {
      began.push(rule);
      await holds.get(rule)?.promise;
    }),
  );
  const end = async (rule: RuleId): Promise<void> => {
    holds.get(rule)?.resolve();
    await turn();
  };
  await turn();
  expect(began).toEqual([schedule, ordinary]);
  await end(ordinary);
  expect(began).toHaveLength(2);
  await end(schedule);
  expect(began).toEqual([schedule, ordinary, first]);
  stop.abort();
  await end(first);
  expect(began).toEqual([schedule, ordinary, first, third]);
  await end(third);
  await Promise.all(all);
});

test('cases that claim the same run one after another, in either kind, and none waits for ever', async () => {
  const rules = someRules.slice(0, 6);
  const claims = (rule: RuleId): string | undefined => (rules.indexOf(rule) % 3 === 0 ? undefined : 'mail');
  for (const jumps of [true, false]) {
    const secondsOf = (rule: RuleId): number | undefined => (rules.indexOf(rule) < 3 ? 5 : undefined);
    const turns = openTurns(rules, 4, { secondsOf, jumps, claims });
    let [under, most, ended] = [0, 0, 0];
    await Promise.all(
      rules.map((rule) =>
        turns.take(rule, never, async () => {
          const own = claims(rule) === undefined ? 0 : 1;
          under += own;
          most = Math.max(most, under);
          await turn();
          under -= own;
          ended += 1;
        }),
      ),
    );
    expect([most, ended]).toEqual([1, rules.length]);
  }
});
