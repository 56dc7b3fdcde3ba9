/** Whoever wants to go on waits until fewer than `most` do; in the order of asking. */
export class Turns {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  /** @param most at once */
  constructor(most: number) {
    this.#most = most;
  }

  /** Calls `begin` at its turn: at once where there is one, else on its own stack. Returns what ends the turn, or the waiting for it. */
  take(begin: () => void): () => void {
    let hasEnded = false;
    let ends = (): void => this.#pass();
    if (this.#taken < this.#most) {
      this.#taken += 1;
      begin();
    } else {
      const turn = (): void => {
        ends = () => this.#pass();
        setImmediate(() => {
          if (!hasEnded) begin();
        });
      };
      this.#waiting.push(turn);
      ends = () => void this.#waiting.splice(this.#waiting.indexOf(turn), 1);
    }
    return () => {
      if (!hasEnded) ends();
      hasEnded = true;
    };
  }

  #pass(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken -= 1;
    else next();
  }
}
