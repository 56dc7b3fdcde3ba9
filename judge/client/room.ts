/** An answer under way that can be made to wait. */
export interface Guest {
  /** Bytes of it so far. */
  readonly sizeBytes: number;
  pause(): void;
  resume(): void;
}

/** What answers under way take together: beyond it all wait but the longest, which comes to its end or to its limit. */
export class Room {
  readonly #mostBytes: number;
  readonly #guests = new Set<Guest>();
  readonly #waiting = new Set<Guest>();

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** To be told whenever more of it has come. */
  grown(guest: Guest): void {
    this.#guests.add(guest);
    if (this.#isFree() || guest === this.#longest()) return;
    this.#waiting.add(guest);
    guest.pause();
  }

  /** It is over; others go on. */
  left(guest: Guest): void {
    this.#guests.delete(guest);
    this.#waiting.delete(guest);
    const freed = this.#isFree() ? [...this.#waiting] : [...this.#waiting].filter((one) => one === this.#longest());
    for (const one of freed) {
      this.#waiting.delete(one);
      one.resume();
    }
  }

  #isFree(): boolean {
    let bytes = 0;
    for (const { sizeBytes } of this.#guests) bytes += sizeBytes;
    return bytes <= this.#mostBytes;
  }

  #longest(): Guest | undefined {
    let longest: Guest | undefined;
    for (const guest of this.#guests) if (guest.sizeBytes > (longest?.sizeBytes ?? -1)) longest = guest;
    return longest;
  }
}
