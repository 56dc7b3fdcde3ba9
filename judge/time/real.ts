import { machineClock } from '../../simulator/extension/clock.ts';
import { within } from '../run/within.ts';
import { Calibration } from './calibration.ts';
import type { Participant, TimeKeeper } from './keeper.ts';

/** Real time, with a watch on how well this machine and the service keep it while schedules run. */
export class RealTime implements TimeKeeper {
  readonly controlled = false;
  readonly now = machineClock.now;
  readonly sleep = machineClock.sleep;
  readonly #calibration: Calibration;
  #members = 0;

  /** @param probe a request to the service that costs it nothing */
  constructor(probe: () => Promise<unknown>) {
    this.#calibration = new Calibration(probe);
  }

  async begin(): Promise<void> {}

  watch(): void {}

  async join(): Promise<Participant> {
    this.#members += 1;
    if (this.#members === 1) this.#calibration.start();
    return {
      until: (promise, withinMs) => within(withinMs, promise),
      through: (run) => run(),
      leave: () => {
        this.#members -= 1;
        if (this.#members === 0) this.#calibration.stop();
      },
    };
  }

  delayBetween(from: number, to: number): number {
    return this.#calibration.worstBetween(from, to);
  }

  async close(): Promise<void> {
    this.#calibration.stop();
  }
}
