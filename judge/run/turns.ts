import type { RuleId } from '../../contract/rule.ts';
import type { Plan } from './run.ts';
import { Turns as Places } from '../client/turns.ts';
import { aborted } from '../time/real-time.ts';

/** Lets the cases of a run begin: ordinary ones a few at a time, schedules all together. */
interface Turns {
  /** Runs the work when it is the rule's turn; undefined when the signal aborts before. */
  take<T>(rule: RuleId, signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined>;
}

/**
 * Schedules do nothing but wait, so they take no place from others; in real time they start at once, so that a run lasts as long as the
 * longest. Where the suite moves the clock they start when all others have ended, which would not bear that time jumps. Cases for the end
 * come when all of those are over, each alone.
 * @param width ordinary cases under way at once
 */
export function openTurns(rules: readonly RuleId[], width: number, plan: Plan): Turns {
  const isSchedule = (rule: RuleId): boolean => plan.secondsOf(rule) !== undefined;
  const isLast = (rule: RuleId): boolean => plan.comesLast?.(rule) ?? false;
  const ordinary = new Set(rules.filter((rule) => !isSchedule(rule) && !isLast(rule)));
  const alone = openLastTurns(rules.filter((rule) => !isLast(rule)));
  const othersEnded = Promise.withResolvers<void>();
  const places = new Places(width);
  const inTurn = openQueues();
  const end = (rule: RuleId): void => {
    ordinary.delete(rule);
    if (ordinary.size === 0) othersEnded.resolve();
  };
  // claimed by a case whose turn it is: one that waits for others would keep them from what it claims
  const inClaim = <T>(claim: string | undefined, work: () => Promise<T>): Promise<T> =>
    claim === undefined ? work() : inTurn(claim, work);
  if (ordinary.size === 0) othersEnded.resolve();
  return {
    take: async (rule, signal, work) => {
      if (isLast(rule)) return alone.take(signal, work);
      using _end = alone.endOf(rule);
      if (isSchedule(rule)) {
        if (plan.jumps) await Promise.race([othersEnded.promise, aborted(signal)]);
        return signal.aborted ? undefined : await inClaim(plan.claims?.(rule), work);
      }
      const begun = Promise.withResolvers<void>();
      const leave = places.take(begun.resolve);
      await Promise.race([begun.promise, aborted(signal)]);
      try {
        return signal.aborted ? undefined : await inClaim(plan.claims?.(rule), work);
      } finally {
        leave();
        end(rule);
      }
    },
  };
}

interface LastTurns {
  take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined>;
  endOf(rule: RuleId): Disposable;
}

/** Turns that begin when those rules have ended, one after another. */
function openLastTurns(before: readonly RuleId[]): LastTurns {
  const left = new Set(before);
  const begin = Promise.withResolvers<void>();
  let turn = begin.promise;
  if (left.size === 0) begin.resolve();
  return {
    async take(signal, work) {
      const over = Promise.withResolvers<void>();
      const mine = turn;
      turn = mine.then(() => over.promise);
      await Promise.race([mine, aborted(signal)]);
      try {
        return signal.aborted ? undefined : await work();
      } finally {
        over.resolve();
      }
    },
    endOf: (rule) => ({
      [Symbol.dispose]() {
        left.delete(rule);
        if (left.size === 0) begin.resolve();
      },
    }),
  };
}

/** Runs works of the same key one after another; one that fails ends its own turn alone. */
export function openQueues(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const ends = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (ends.get(key) ?? Promise.resolve()).then(work);
    ends.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  };
}
