/**
 * Lets any number of readers in together, or one writer alone. Readers that come while a writer works or waits stand behind it,
 * so that neither starves the other.
 */
export class Gate {
  #readers = 0;
  #writing = false;
  #waiting: (() => void)[] = [];

  async shared<T>(work: () => Promise<T>): Promise<T> {
    while (this.#writing) await this.#turn();
    this.#readers += 1;
    try {
      return await work();
    } finally {
      this.#readers -= 1;
      if (this.#readers === 0) this.#wake();
    }
  }

  /** Only one caller may ask at a time. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#writing) throw new Error('A second writer asked for the store while one was inside.');
    this.#writing = true;
    while (this.#readers > 0) await this.#turn();
    try {
      return await work();
    } finally {
      this.#writing = false;
      this.#wake();
    }
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    const woken = this.#waiting;
    this.#waiting = [];
    for (const resolve of woken) resolve();
  }
}
