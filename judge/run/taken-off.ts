import type { Machine, TimeKeeper } from '../time/keeper.ts';
import type { Waits } from '../case/waits.ts';

/** Moved time takes an order for each timer of all schedules, and each order its way: so many limits at most. */
const mostLimits = 3;

interface Limited {
  readonly session: {
    readonly machine: Pick<Machine, 'stalledMs'>;
    readonly time: Pick<TimeKeeper, 'orderedMs' | 'heldUpMs'>;
  };
  readonly waits: Waits;
  readonly deadlineMs: number;
}

/**
 * Tells how much of the time from now on is no part of the limit of a case: when its requests were held back, and, three times as long
 * as the limit at most, what the machine took, what orders to the clock were on their way, and how long requests and calls held it up.
 */
export function startTakingOff({ session, waits, deadlineMs }: Limited): () => number {
  const startedAt = performance.now();
  const { machine, time } = session;
  const waited = (): number => (time.orderedMs ?? 0) + (time.heldUpMs ?? 0);
  const waitedBefore = waited();
  return () => {
    const lostMs = machine.stalledMs(startedAt, performance.now()) + waited() - waitedBefore;
    return waits.heldBackMs + Math.min(mostLimits * deadlineMs, lostMs);
  };
}
