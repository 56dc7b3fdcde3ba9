import type { Clock } from '../clock/clock.ts';

/** Why a sleep ends for which there is no reason any more. */
const calledOff = new Error('The alarm was called off.');

/** At most one sleep, until the time that was set last. */
export class Alarm {
  readonly #clock: Clock;
  readonly #tag: string;
  readonly #ring: () => void;
  #at: number | undefined;
  #sleep: AbortController | undefined;

  constructor(clock: Clock, tag: string, ring: () => void) {
    this.#clock = clock;
    this.#tag = tag;
    this.#ring = ring;
  }

  /** When it rings, in ms of the clock. */
  get at(): number | undefined {
    return this.#at;
  }

  /** @param at in ms of the clock; undefined calls it off */
  set(at: number | undefined): void {
    if (at === this.#at) return;
    this.clear();
    if (at === undefined) return;
    this.#at = at;
    this.#sleep = new AbortController();
    void this.#wait(at, this.#sleep.signal);
  }

  clear(): void {
    this.#at = undefined;
    this.#sleep?.abort(calledOff);
    this.#sleep = undefined;
  }

  async #wait(at: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(Math.max(at - this.#clock.now(), 0), { tag: this.#tag, signal });
    } catch {
      return;
    }
    if (signal.aborted) return;
    this.#at = undefined;
    this.#sleep = undefined;
    this.#ring();
  }
}
