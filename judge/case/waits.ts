const mostTold = 3;

/** As `the answer to GET /api`; of a request, which is waited for many times and told of hardly ever, made when it is told. */
type What = string | (() => string);

/** What a case waits for: so that one that does not end can say it, and time that is not its own does not count. */
export class Waits {
  readonly #open = new Map<object, { readonly what: What; readonly since: number }>();
  #held = 0;
  #heldSince = 0;
  #heldMs = 0;

  /** Real time in which at least one request of the case was held back: the target asked for patience, or others had their turn. */
  get heldBackMs(): number {
    return this.#heldMs + (this.#held > 0 ? performance.now() - this.#heldSince : 0);
  }

  async on<T>(what: What, wait: Promise<T>): Promise<T> {
    const key = {};
    this.#open.set(key, { what, since: performance.now() });
    try {
      return await wait;
    } finally {
      this.#open.delete(key);
    }
  }

  /** As `on`, of a request that is held back. */
  async heldBack<T>(what: What, wait: Promise<T>): Promise<T> {
    if (this.#held === 0) this.#heldSince = performance.now();
    this.#held += 1;
    try {
      return await this.on(what, wait);
    } finally {
      this.#held -= 1;
      if (this.#held === 0) this.#heldMs += performance.now() - this.#heldSince;
    }
  }

  /** What is waited for now, the longest first, as the end of a sentence. */
  tell(): string {
    const now = performance.now();
    const open = [...this.#open.values()];
    const told = open
      .slice(0, mostTold)
      .map(
        ({ what, since }) => `${typeof what === 'string' ? what : what()} (for ${Math.round((now - since) / 1000)} s)`,
      );
    const more = open.length > mostTold ? [`${open.length - mostTold} more`] : [];
    return [...told, ...more].join(', ') || 'nothing that it asked for: it computes, or waits for itself';
  }
}
