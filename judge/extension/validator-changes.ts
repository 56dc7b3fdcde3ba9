import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Exchange } from '../exchange.ts';
type Span = Pick<Exchange, 'sentAt' | 'durationMs'>;

/** So long a removal is put off at most, in ms: whoever waits may be what others wait for. A validation that is tried again takes 14 s, and more where calls are late. */
const longestHoldMs = 30_000;

/**
 * When validation extensions of the run came and went. The service asks all of them about each object, also for cases that know nothing of
 * them, and what becomes of an operation that is under way when one is given to it or taken from it is not said.
 */
export class ValidatorChanges {
  readonly #asked = new Set<unknown>();
  readonly #spans: Span[] = [];
  /** When those that are under way began. */
  readonly #begun = new Set<{ readonly at: number }>();
  /** Set in what takes place beside no such change but its own. */
  readonly #apart = new AsyncLocalStorage<true>();
  /** Resolves when the last of what takes place apart is over; undefined once it is. */
  #over: Promise<void> | undefined;
  readonly #zero: number;

  /** @param zero when the time of exchanges began, as `performance.now()` told it */
  constructor(zero: number) {
    this.#zero = zero;
  }

  /** Says that the service asks about each object what is registered with that address, whenever that is. */
  watch(hostUri: string): void {
    this.#asked.add(hostUri);
  }

  /** Carries a registration, its change or its removal out, and notes it from its request to its answer where the service asks what is registered so. */
  async through<R extends { readonly exchange: Span } | undefined>(
    hostUri: unknown,
    change: () => Promise<R>,
  ): Promise<R> {
    if (!this.#asked.has(hostUri)) return change();
    if (this.#apart.getStore() === undefined) await endOr(this.#over, longestHoldMs);
    const begun = { at: this.#now() };
    this.#begun.add(begun);
    try {
      const reply = await change();
      if (reply !== undefined) this.#spans.push(reply.exchange);
      return reply;
    } catch (error) {
      // what is not answered may be done all the same
      this.#spans.push({ sentAt: begun.at, durationMs: this.#now() - begun.at });
      throw error;
    } finally {
      this.#begun.delete(begun);
    }
  }

  /** Carries something out beside which nobody else brings such an extension or takes one away, one after another. */
  async apart<T>(run: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const former = this.#over;
    this.#over = promise;
    await endOr(former, longestHoldMs);
    try {
      return await this.#apart.run(true, run);
    } finally {
      resolve();
      if (this.#over === promise) this.#over = undefined;
    }
  }

  #now(): number {
    return performance.now() - this.#zero;
  }

  /** Whether one came or went while that was under way. */
  isAround({ sentAt, durationMs }: Span): boolean {
    const endsAt = sentAt + durationMs;
    if ([...this.#begun].some(({ at }) => at < endsAt)) return true;
    return this.#spans.some((one) => one.sentAt < endsAt && one.sentAt + one.durationMs > sentAt);
  }
}

/** Waits for the end of something, but no longer than that. */
async function endOr(end: Promise<void> | undefined, ms: number): Promise<void> {
  if (end === undefined) return;
  const ended = new AbortController();
  await Promise.race([end, pause(ms, undefined, { signal: ended.signal }).catch(() => undefined)]);
  ended.abort();
}
