import { Timers } from '../time/controlled.ts';
import type { Delay, Participant, TimeKeeper } from '../time/keeper.ts';
import { worstOf } from '../time/time-of.ts';
import { machineClock } from '../../simulator/extension/clock.ts';
import { within } from '../run/within.ts';

/** The time in which a service lived that was moved by the suite, as it was recorded. */
export class TapedControlledTime implements TimeKeeper {
  readonly controlled = true;
  readonly #timers = new Timers();
  readonly #taken = Promise.withResolvers<void>();
  #now = 0;
  #readAt: number | undefined = performance.now();

  /** Told what was recorded. */
  set(now: number, goesOn: boolean): void {
    this.#now = now;
    this.#readAt = goesOn ? performance.now() : undefined;
    if (!goesOn) this.#taken.resolve();
  }

  /** Told what was recorded. */
  wake(now: number): void {
    this.#timers.wake(now);
  }

  now(): number {
    return this.#readAt === undefined ? this.#now : this.#now + performance.now() - this.#readAt;
  }

  sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    if (this.#readAt !== undefined) return machineClock.sleep(delayMs, signal);
    return this.#timers.sleep(this.#now + delayMs, signal);
  }

  async begin(): Promise<void> {}

  watch(): void {}

  delayBetween(): number {
    return 0;
  }

  async join(signal: AbortSignal): Promise<Participant> {
    await this.#taken.promise;
    return {
      until: async (promise, withinMs) => {
        const over = new AbortController();
        const late = this.sleep(withinMs, AbortSignal.any([over.signal, signal])).then(() => undefined);
        late.catch(() => undefined);
        return Promise.race([promise, late]).finally(() => over.abort(new Error('it came in time')));
      },
      through: (run) => run(),
      leave: () => undefined,
    };
  }

  async close(): Promise<void> {}
}

/** Real time, with the delays that were seen when it was recorded. */
export class TapedRealTime implements TimeKeeper {
  readonly controlled = false;
  readonly now = machineClock.now;
  readonly sleep = machineClock.sleep;
  readonly #delays: readonly Delay[];

  constructor(delays: readonly Delay[]) {
    this.#delays = delays;
  }

  async begin(): Promise<void> {}

  watch(): void {}

  delayBetween(from: number, to: number): number {
    return worstOf(this.#delays, from, to);
  }

  async join(): Promise<Participant> {
    return {
      until: (promise, withinMs) => within(withinMs, promise),
      through: (run) => run(),
      leave: () => undefined,
    };
  }

  async close(): Promise<void> {}
}
