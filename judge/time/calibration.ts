/** How often a timer of this machine is looked at, in ms. */
const tickMs = 20;
/** How often the service is asked for something that costs nothing, in ms. */
const probeMs = 500;
/** Delays below are no news, in ms. */
const leastMs = 10;
const mostKept = 20_000;

interface Delay {
  readonly from: number;
  readonly to: number;
  readonly ms: number;
}

/** Watches, while schedules run in real time, how late this machine wakes up and how slowly the service answers the simplest request. */
export class Calibration {
  readonly #probe: () => Promise<unknown>;
  #delays: Delay[] = [];
  #ticking: NodeJS.Timeout | undefined;
  #probing: NodeJS.Timeout | undefined;

  constructor(probe: () => Promise<unknown>) {
    this.#probe = probe;
  }

  start(): void {
    if (this.#ticking !== undefined) return;
    let last = performance.now();
    this.#ticking = setInterval(() => {
      const now = performance.now();
      this.#note({ from: last, to: now, ms: now - last - tickMs });
      last = now;
    }, tickMs).unref();
    this.#probing = setInterval(() => void this.#ask(), probeMs).unref();
  }

  stop(): void {
    clearInterval(this.#ticking);
    clearInterval(this.#probing);
    this.#ticking = undefined;
  }

  /** The longest delay that overlaps the span, in ms. */
  worstBetween(from: number, to: number): number {
    return Math.max(0, ...this.#delays.filter((delay) => delay.to >= from && delay.from <= to).map(({ ms }) => ms));
  }

  /** No answer says nothing about time: who needs one will notice. */
  async #ask(): Promise<void> {
    const from = performance.now();
    await this.#probe().catch(() => undefined);
    const to = performance.now();
    this.#note({ from, to, ms: to - from });
  }

  #note(delay: Delay): void {
    if (delay.ms < leastMs) return;
    this.#delays.push(delay);
    if (this.#delays.length > mostKept) this.#delays = this.#delays.slice(mostKept / 2);
  }
}
