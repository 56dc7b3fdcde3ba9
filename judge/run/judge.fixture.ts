import { setTimeout as sleep } from 'node:timers/promises';
import { brokenOutcome } from './deadline.ts';
import type { Judge, JudgeModule, Plan } from './handover.ts';
import { outcomeOf } from './outcomes.fixture.ts';

/** What a made-up case does. */
export type Deed = 'pass' | 'fail' | 'throw' | 'hang' | 'obey' | 'exit' | 'stray' | 'spin' | 'silent' | 'slow';
/** Deed by rule. */
export type Deeds = Readonly<Record<string, Deed>>;

/** A judge whose cases behave as told, for tests of the runner. */
export const judgeWith: JudgeModule<Deeds>['judgeWith'] = async (deeds) => async (rule, signal) =>
  doing[deeds[rule] ?? 'pass'](rule, signal);

/** Cases told to be slow are those that last. */
export const planOf = (deeds: Deeds): Plan => ({
  secondsOf: () => undefined,
  jumps: false,
  lasts: (rule) => deeds[rule] === 'slow',
});

const doing: Readonly<Record<Deed, Judge>> = {
  pass: async (rule) => ({ outcome: outcomeOf(rule, 'pass'), booked: [{ uri: `/${rule}`, madeBy: rule }] }),
  fail: async (rule) => ({ outcome: outcomeOf(rule, 'fail'), booked: [] }),
  throw: async () => {
    throw new Error('thrown by the case');
  },
  hang: () => new Promise(() => undefined),
  obey: async (rule, signal) => {
    await sleep(60_000, undefined, { signal }).catch(() => undefined);
    return { outcome: brokenOutcome(rule, 'told to end'), booked: [{ uri: `/${rule}`, madeBy: rule }] };
  },
  exit: async () => process.exit(0),
  stray: async (rule) => {
    void Promise.reject(new Error('a loose end'));
    return { outcome: outcomeOf(rule, 'pass'), booked: [] };
  },
  spin: async () => {
    for (;;);
  },
  silent: async () => ({ booked: [] }),
  slow: async (rule, signal) => {
    await sleep(300, undefined, { signal });
    return { outcome: outcomeOf(rule, 'pass'), booked: [] };
  },
};
