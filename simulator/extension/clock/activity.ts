/** How long calls whose end nobody foretold are waited for, in real time, before they count as held. */
const patienceMs = 100;
/** The same for a client that tells how many calls it holds. */
const longPatienceMs = 2000;
/** Turns of the event loop without anything going on that make a rest. */
const quietTurns = 4;

/** What goes on in a host without waiting for its clock: work on its disk, and calls to services, which may be held until time has passed. */
export class Activity {
  readonly #calls = new Set<object>();
  #works = 0;
  #held = 0;
  #told = false;
  #supposed = new WeakSet<object>();
  #change = Promise.withResolvers<void>();

  /** Calls on their way. */
  get calls(): number {
    return this.#calls.size;
  }

  /** Calls that the client keeps open; it tells the number anew whenever it changes. */
  hold(calls: number): void {
    this.#held = calls;
    this.#told = true;
    this.#supposed = new WeakSet();
    this.#tell();
  }

  async work<T>(work: () => Promise<T>): Promise<T> {
    this.#works += 1;
    try {
      return await work();
    } finally {
      this.#works -= 1;
      this.#tell();
    }
  }

  async call<T>(call: () => Promise<T>): Promise<T> {
    const onTheWay = {};
    this.#calls.add(onTheWay);
    try {
      return await call();
    } finally {
      this.#calls.delete(onTheWay);
      this.#tell();
    }
  }

  /** Resolves when nothing goes on but what waits for time, or for an answer that the client holds. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#isQuiet()) continue;
      quiet = -1;
      await this.#waitForChange();
    }
  }

  #isQuiet(): boolean {
    const open = [...this.#calls].filter((call) => !this.#supposed.has(call));
    return this.#works === 0 && open.length <= this.#held;
  }

  /** Waits for any change; calls that go on when none came in time count as held. */
  async #waitForChange(): Promise<void> {
    const patience = setTimeout(() => this.#supposeHeld(), this.#told ? longPatienceMs : patienceMs);
    await this.#change.promise;
    clearTimeout(patience);
  }

  #supposeHeld(): void {
    for (const call of this.#calls) this.#supposed.add(call);
    this.#tell();
  }

  #tell(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}
