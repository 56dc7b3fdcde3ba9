import type { Exchange } from '../exchange.ts';

type Registered = { readonly id: string };
type Span = Pick<Exchange, 'sentAt' | 'durationMs'>;

/**
 * When validation extensions of the run went. The service asks all of them about each object, also for cases that know nothing of them, and
 * what becomes of an operation that is on its way to one that is taken from it is not said.
 */
export class Departures {
  readonly #asked = new WeakSet<Registered>();
  readonly #spans: Span[] = [];
  #underWay = 0;

  /** Says that the service asks about each object what is registered so. */
  watch(registration: Registered): void {
    this.#asked.add(registration);
  }

  /** Carries a removal out, and notes it from its request to its answer where the service asks what is registered so. */
  async through<R extends { readonly exchange: Span } | undefined>(
    registration: Registered,
    remove: () => Promise<R>,
  ): Promise<R> {
    if (!this.#asked.has(registration)) return remove();
    this.#underWay += 1;
    try {
      const reply = await remove();
      if (reply !== undefined) this.#spans.push(reply.exchange);
      return reply;
    } finally {
      this.#underWay -= 1;
    }
  }

  /** Whether one went while that was under way. */
  isAround({ sentAt, durationMs }: Span): boolean {
    if (this.#underWay > 0) return true;
    return this.#spans.some((one) => one.sentAt < sentAt + durationMs && one.sentAt + one.durationMs > sentAt);
  }
}
