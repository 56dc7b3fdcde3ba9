import { setTimeout as sleep } from 'node:timers/promises';

/** Keeps the starts of requests at least 1/rate apart. */
export class Pace {
  readonly #gapMs: number;
  #next = 0;

  /** @param perSecond most starts a second; undefined for no limit */
  constructor(perSecond: number | undefined) {
    this.#gapMs = perSecond === undefined ? 0 : 1000 / perSecond;
  }

  async turn(): Promise<void> {
    if (this.#gapMs === 0) return;
    const now = performance.now();
    const start = Math.max(now, this.#next);
    this.#next = start + this.#gapMs;
    if (start > now) await sleep(start - now);
  }
}
