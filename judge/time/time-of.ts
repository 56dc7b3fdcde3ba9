import type { Profile } from '../../contract/profile.ts';
import { HttpClient, type Sender } from '../client.ts';
import { absoluteUrl } from '../requests.ts';
import { within } from '../run/within.ts';
import { isTimeControlled } from './budget.ts';
import { ClockControl, ControlledTime } from './controlled.ts';
import type { Participant, TimeKeeper } from './keeper.ts';
import { machineClock } from '../../simulator/extension/clock.ts';

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
class Calibration {
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

/** Real time, with a watch on how well this machine and the service keep it while schedules run. */
class RealTime implements TimeKeeper {
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

const unrecorded: Sender = { reuse: true, retries: [], add: () => undefined };

/** The time of a run, as the profile says that it passes. */
export function timeOf(profile: Profile, client: Pick<HttpClient, 'holdingTime' | 'send'>): TimeKeeper {
  if (isTimeControlled(profile))
    return new ControlledTime({
      control: new ClockControl(profile, new HttpClient()),
      requestsUnderWay: () => client.holdingTime,
    });
  return new RealTime(() => client.send({ method: 'GET', url: absoluteUrl(profile, '/'), headers: [] }, unrecorded));
}
