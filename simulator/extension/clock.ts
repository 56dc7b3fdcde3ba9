import { setTimeout as sleep } from 'node:timers/promises';

/** The time that a host lives in: that of its machine, or that of the service which calls it. */
export interface HostClock {
  /** ms from an arbitrary start; never goes back. */
  now(): number;
  /** Resolves after `delayMs`. @throws the reason of `signal` when it aborts first */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
}

/** Real time, monotonic. */
export const machineClock: HostClock = {
  now: () => performance.now(),
  sleep: async (delayMs, signal) => {
    await sleep(delayMs, undefined, { signal });
  },
};
