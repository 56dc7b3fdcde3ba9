import type { Machine, TimeKeeper } from '../time/keeper.ts';
import type { Waits } from '../waits.ts';

interface Limited {
  readonly session: {
    readonly machine: Pick<Machine, 'stalledMs'>;
    readonly time: Pick<TimeKeeper, 'orderedMs'>;
  };
  readonly waits: Waits;
  readonly deadlineMs: number;
}

/**
 * Tells how much of the time from now on is no part of the limit of a case: when its requests were held back, and, as long as the limit at
 * most, what the machine took and what orders to the clock were on their way.
 */
export function startTakingOff({ session, waits, deadlineMs }: Limited): () => number {
  const startedAt = performance.now();
  const { machine, time } = session;
  const orderedBefore = time.orderedMs ?? 0;
  return () => {
    const lostMs = machine.stalledMs(startedAt, performance.now()) + (time.orderedMs ?? 0) - orderedBefore;
    return waits.heldBackMs + Math.min(deadlineMs, lostMs);
  };
}
