import type { Profile } from '../../contract/profile.ts';
import { HttpClient, type Sender } from '../client.ts';
import { absoluteUrl } from '../requests.ts';
import { within } from '../run/within.ts';
import { isTimeControlled } from './budget.ts';
import { ClockControl, ControlledTime } from './controlled.ts';
import type { Delay, Participant, TimeKeeper, TimeLog } from './keeper.ts';
import { machineClock } from '../../simulator/extension/clock.ts';

/** How often a timer of this machine is looked at, in ms. */
const tickMs = 20;

/** How often the service is asked for something that costs nothing, in ms. */
const probeMs = 500;

/** Delays below are no news, in ms. */
const leastMs = 10;

const mostKept = 20_000;

/** Watches, while schedules run in real time, how late this machine wakes up and how slowly the service answers the simplest request. */
class Calibration {
  readonly #probe: () => Promise<unknown>;
  readonly #log: TimeLog | undefined;
  #delays: Delay[] = [];
  #ticking: NodeJS.Timeout | undefined;
  #probing: NodeJS.Timeout | undefined;

  constructor(probe: () => Promise<unknown>, log: TimeLog | undefined) {
    this.#probe = probe;
    this.#log = log;
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
    return worstOf(this.#delays, from, to);
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
    this.#log?.delayed(delay);
    if (this.#delays.length > mostKept) this.#delays = this.#delays.slice(mostKept / 2);
  }
}

/** The longest of the delays that overlaps the span, in ms. */
export function worstOf(delays: readonly Delay[], from: number, to: number): number {
  return Math.max(0, ...delays.filter((delay) => delay.to >= from && delay.from <= to).map(({ ms }) => ms));
}

/** Real time, with a watch on how well this machine and the service keep it while schedules run. */
class RealTime implements TimeKeeper {
  readonly controlled = false;
  readonly now = machineClock.now;
  readonly sleep = machineClock.sleep;
  readonly #calibration: Calibration;
  #members = 0;

  /** @param probe a request to the service that costs it nothing */
  constructor(probe: () => Promise<unknown>, log: TimeLog | undefined) {
    this.#calibration = new Calibration(probe, log);
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
export function timeOf(profile: Profile, client: Pick<HttpClient, 'holdingTime' | 'send'>, log?: TimeLog): TimeKeeper {
  if (isTimeControlled(profile))
    return new ControlledTime({
      control: new ClockControl(profile, new HttpClient()),
      requestsUnderWay: () => client.holdingTime,
      ...(log && { log }),
    });
  const probe = () => client.send({ method: 'GET', url: absoluteUrl(profile, '/'), headers: [] }, unrecorded);
  return new RealTime(probe, log);
}
