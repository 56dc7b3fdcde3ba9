import type { Reporter } from 'vitest/node';
import type { RuleId } from '../../contract/rule.ts';
import type { Booking } from '../bookings.ts';
import type { Outcome } from '../outcome.ts';
import type { RunCases } from './run-cases.ts';
import type { Stop } from './stop.ts';

/** What the main thread hears from the thread of the cases. */
export interface Journal {
  readonly reporter: Reporter;
  readonly booked: readonly Booking[];
  /** Rules whose case has not told an outcome. */
  missing(): readonly RuleId[];
  /** Resolves when every question about going on is answered. */
  settled(): Promise<void>;
}

export function newJournal(run: RunCases, stop: Stop): Journal {
  const booked: Booking[] = [];
  const ended = new Set<RuleId>();
  let asking: Promise<void> = Promise.resolve();
  const onOutcome = (outcome: Outcome): void => {
    ended.add(outcome.rule);
    run.onOutcome(outcome);
    asking = asking.then(() => ask(run, stop, outcome));
  };
  return {
    booked,
    missing: () => run.rules.filter((rule) => !ended.has(rule)),
    settled: () => asking,
    reporter: {
      onTestCaseResult: (test) => {
        const { judgement } = test.meta();
        booked.push(...(judgement?.booked ?? []));
        if (judgement?.outcome !== undefined) onOutcome(judgement.outcome);
      },
    },
  };
}

async function ask(run: RunCases, stop: Stop, outcome: Outcome): Promise<void> {
  if (stop.signal.aborted) return;
  const reason = await run.stopAfter?.(outcome);
  if (reason !== undefined) stop.now(reason);
}
