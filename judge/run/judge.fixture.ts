import { threadId } from 'node:worker_threads';
import { setImmediate as othersTurn, setTimeout as sleep } from 'node:timers/promises';
import type { RuleId } from '../../contract/rule.ts';
import { Catalogue } from '../rule.ts';
import { outcomeOf } from './outcome.fixture.ts';
import type { Judge, Run } from './run.ts';
import type { JudgeOpener } from './judge.ts';
import { brokenOutcome } from '../outcome.ts';

/** What a made-up case does. */
export type Deed =
  | 'pass'
  | 'fail'
  | 'throw'
  | 'hang'
  | 'obey'
  | 'exit'
  | 'stray'
  | 'spin'
  | 'silent'
  | 'slow'
  | 'thread';

/** A run whose cases behave as told. */
export interface RunOfDeeds extends Run {
  readonly deeds: Readonly<Record<string, Deed>>;
}

/** The judge needs none. */
export const catalogue = new Catalogue([]);

/** A judge whose cases behave as told, for tests of the runner. Those told to be slow are those that last. */
export const openJudge: JudgeOpener = (_catalogue, run) => {
  const deedOf = (rule: RuleId): Deed => ('deeds' in run ? (run as RunOfDeeds).deeds[rule] : undefined) ?? 'pass';
  return {
    judge: (rule, signal) => doing[deedOf(rule)](rule, signal),
    heldBackMs: () => 0,
    waitedFor: () => 'nothing',
    plan: { secondsOf: () => undefined, jumps: false, lasts: (rule) => deedOf(rule) === 'slow' },
    ...(run.record === true && { recorded: () => tapeOf(run.rules.map(deedOf)) }),
    [Symbol.asyncDispose]: async () => undefined,
  };
};

/** The number of the thread, where nothing hinders it. */
async function tapeOf(deeds: readonly Deed[]): Promise<Uint8Array> {
  if (deeds.includes('throw')) throw new Error('no room for the tape');
  return Uint8Array.of(threadId);
}

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
    // what is quick has ended by then
    await othersTurn();
    for (;;);
  },
  silent: async () => ({ booked: [] }),
  thread: async (rule) => ({ outcome: outcomeOf(rule, 'pass'), booked: [{ uri: `${threadId}`, madeBy: rule }] }),
  slow: async (rule, signal) => {
    await sleep(300, undefined, { signal });
    return { outcome: outcomeOf(rule, 'pass'), booked: [] };
  },
};
