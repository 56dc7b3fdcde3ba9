/** What keeps a host that does one thing after another from the work of a case: answers that other cases withhold, and tasks of theirs that it comes to the end of meanwhile. */
export class Withheld {
  readonly #now = new Map<Promise<void>, object>();
  #ended = 0;
  readonly #endsOfTasks: object[] = [];

  /** How often an answer was withheld and let go, or a task of another was ended. */
  endedFor(own: object): number {
    return this.#ended + this.#endsOfTasks.filter((owner) => owner !== own).length;
  }

  /** @param owner whose task it was */
  taskEnded(owner: object): void {
    this.#endsOfTasks.push(owner);
  }

  /** @param owner what withholds it */
  async hold(owner: object, until: Promise<void>): Promise<void> {
    const held = until.then(() => undefined);
    this.#now.set(held, owner);
    await held.finally(() => this.#now.delete(held));
    this.#ended += 1;
  }

  /** Those that others withhold now. */
  ofOthers(own: object): readonly Promise<void>[] {
    return [...this.#now].filter(([, owner]) => owner !== own).map(([held]) => held);
  }
}
