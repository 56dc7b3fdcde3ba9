/** Time as the reference server knows it; nothing outside the adapters touches global timers or Date. */
export interface Clock {
  /** Wall time, in ms since the epoch. */
  now(): number;
  /** Time that never goes back, in ms from an arbitrary start. */
  monotonic(): number;
  /** Resolves after `delayMs`. @throws the reason of `signal` when it aborts first */
  sleep(delayMs: number, options?: { readonly signal?: AbortSignal; readonly tag?: string }): Promise<void>;
}
