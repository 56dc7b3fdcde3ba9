import type { StoredDelivery } from '../store/queue.ts';

/** Deliveries that were taken, by endpoint, and the attempts that are being made of them. */
export class Running {
  readonly #endpoints = new Map<string, Set<string>>();
  readonly #deliveries = new Set<string>();
  readonly #attempts = new Set<Promise<void>>();

  /** It has a place from now on. */
  add({ id, endpoint }: StoredDelivery): void {
    this.#deliveries.add(id);
    const ids = this.#endpoints.get(endpoint) ?? new Set();
    this.#endpoints.set(endpoint, ids.add(id));
  }

  begin(attempt: Promise<void>): void {
    this.#attempts.add(attempt);
    void attempt.finally(() => this.#attempts.delete(attempt));
  }

  /** It was not taken after all, or its call has ended; then the attempt goes on until that is on record. */
  remove({ id, endpoint }: StoredDelivery): void {
    this.#deliveries.delete(id);
    const ids = this.#endpoints.get(endpoint);
    ids?.delete(id);
    if (ids?.size === 0) this.#endpoints.delete(endpoint);
  }

  /** Places that are taken: of the endpoint, or of all. */
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
