import type { StoredDelivery } from '../store/queue.ts';

/** Attempts that are being made, by delivery and by endpoint. */
export class Running {
  readonly #endpoints = new Map<string, Set<string>>();
  readonly #deliveries = new Set<string>();
  readonly #attempts = new Set<Promise<void>>();

  add({ id, endpoint }: StoredDelivery, attempt: Promise<void>): void {
    this.#deliveries.add(id);
    const ids = this.#endpoints.get(endpoint) ?? new Set();
    this.#endpoints.set(endpoint, ids.add(id));
    this.#attempts.add(attempt);
    void attempt.finally(() => this.#attempts.delete(attempt));
  }

  /** Its call has ended; the attempt goes on until that is on record. */
  remove({ id, endpoint }: StoredDelivery): void {
    this.#deliveries.delete(id);
    const ids = this.#endpoints.get(endpoint);
    ids?.delete(id);
    if (ids?.size === 0) this.#endpoints.delete(endpoint);
  }

  /** Calls to the endpoint, or to all. */
  count(endpoint?: string): number {
    return endpoint === undefined ? this.#deliveries.size : (this.#endpoints.get(endpoint)?.size ?? 0);
  }

  has(id: string): boolean {
    return this.#deliveries.has(id);
  }

  /** Resolves when the attempts that are being made now have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#attempts);
  }
}
