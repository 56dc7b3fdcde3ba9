/** Answers that cases of a run withhold. They keep a host that does one thing after another from the work of other cases. */
export class Withheld {
  readonly #now = new Map<Promise<void>, object>();
  #ended = 0;

  /** How often an answer was withheld and let go. */
  get ended(): number {
    return this.#ended;
  }

  /** @param owner the case that withholds it */
  async hold(owner: object, until: Promise<void>): Promise<void> {
    const held = until.then(() => undefined);
    this.#now.set(held, owner);
    await held.finally(() => this.#now.delete(held));
    this.#ended += 1;
  }

  /** Those that other cases withhold now: what a case withholds itself it lets go of later. */
  ofOthers(own: object): readonly Promise<void>[] {
    return [...this.#now].filter(([, owner]) => owner !== own).map(([held]) => held);
  }
}
