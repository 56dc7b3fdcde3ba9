import type { Exchange } from '../exchange.ts';

type Span = Pick<Exchange, 'sentAt' | 'durationMs'>;

/**
 * When validation extensions of the run went. The service asks all of them about each object, also for cases that know nothing of them, and
 * what becomes of an operation that is on its way to one that is taken from it is not said.
 */
export class Departures {
  readonly #spans: Span[] = [];
  #underWay = 0;

  /** Notes a removal, from its request to its answer. */
  async note(remove: () => Promise<Span | undefined>): Promise<void> {
    this.#underWay += 1;
    try {
      const span = await remove();
      if (span !== undefined) this.#spans.push(span);
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
