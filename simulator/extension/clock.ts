import { setTimeout as sleep } from 'node:timers/promises';

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
