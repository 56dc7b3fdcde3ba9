import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../clock/clock.ts';

/** The time that a host lives in: that of its machine, that of the service which calls it, or one that is moved from outside. */
export interface HostClock {
  /** ms from an arbitrary start; never goes back. */
  now(): number;
  /** Resolves after `delayMs`; `tag` says what waits. @throws the reason of `signal` when it aborts first */
  sleep(delayMs: number, signal: AbortSignal, tag?: string): Promise<void>;
}

/** Real time, monotonic. */
export const machineClock: HostClock = {
  now: () => performance.now(),
  sleep: async (delayMs, signal) => {
    await sleep(delayMs, undefined, { signal });
  },
};

/** A clock as hosts read it, which do not ask whether what they wait for is over already. */
export function hostClock(clock: Clock): HostClock {
  return {
    now: () => clock.now(),
    sleep: (delayMs, signal, tag = '') => clock.sleep(Math.max(0, delayMs), { signal, tag }),
  };
}
