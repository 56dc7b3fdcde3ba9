/** So many answers are looked at; where so many of them are refusals, the target does not take so many requests at once. */
const lookedAt = 20;
const tooMany = 4;

/** How many requests may be under way at once: fewer where the target often answers 429, and one more again after every few that it takes. */
export class Width {
  readonly #most: number;
  #now: number;
  /** Whether the last answers were refusals. */
  #recent: boolean[] = [];
  /** When the width last became less, monotonic, in ms: requests that were under way together are refused together. */
  #narrowedAt = -Infinity;
  /** Answers since the width last changed, and how many it takes to widen it. */
  #calm = 0;
  #needed = lookedAt;
  #isTrying = false;

  constructor(most: number) {
    this.#most = most;
    this.#now = most;
  }

  get now(): number {
    return this.#now;
  }

  learn(isRefused: boolean, sentAt: number): void {
    if (sentAt < this.#narrowedAt) return;
    this.#recent = [...this.#recent, isRefused].slice(-lookedAt);
    this.#calm += 1;
    if (this.#recent.filter(Boolean).length >= tooMany) this.#narrow(Math.floor(this.#now / 4));
    // a step that is refused at once is taken back, and the next one comes later
    else if (isRefused && this.#isTrying) {
      this.#needed *= 2;
      this.#narrow(this.#now - 1);
    } else if (this.#calm >= this.#needed) this.#widen();
  }

  #narrow(to: number): void {
    this.#now = Math.max(1, to);
    this.#recent = [];
    this.#narrowedAt = performance.now();
    this.#calm = 0;
    this.#isTrying = false;
  }

  #widen(): void {
    this.#isTrying = this.#now < this.#most;
    this.#now = Math.min(this.#most, this.#now + 1);
    this.#calm = 0;
  }
}
