import { reachOf } from '../../contract/profile/reach.ts';
import type { Profile } from '../../contract/profile.ts';
import { HttpClient, type Sender } from '../client/client.ts';
import { absoluteUrl } from '../service/requests.ts';
import { isTimeControlled } from './budget.ts';
import { ClockControl, ControlledTime } from './controlled.ts';
import {
  type Asked,
  type Kept,
  type Machine,
  type Participant,
  takePartInRealTime,
  type TimeKeeper,
  type TimeLog,
} from './keeper.ts';
import { machineClock } from '../../simulator/extension/clock.ts';

/** How often the service is asked for something that costs nothing, in ms. */
const probeMs = 500;

/** Answers that are there sooner are no news, in ms. */
const leastMs = 10;

const mostKept = 10_000;

/** Watches, while schedules run in real time, how slowly the service answers the simplest request. */
class Calibration {
  readonly #probe: () => Promise<unknown>;
  readonly #log: TimeLog | undefined;
  #asked: Asked[] = [];
  #probing: NodeJS.Timeout | undefined;

  constructor(probe: () => Promise<unknown>, log: TimeLog | undefined) {
    this.#probe = probe;
    this.#log = log;
  }

  start(): void {
    this.#probing ??= setInterval(() => void this.#ask(), probeMs).unref();
  }

  stop(): void {
    clearInterval(this.#probing);
    this.#probing = undefined;
  }

  /** The longest wait for an answer that overlaps the span, in ms. */
  slowestBetween(from: number, to: number): number {
    return slowestOf(this.#asked, from, to);
  }

  /** No answer says nothing about time: who needs one will notice. */
  async #ask(): Promise<void> {
    const asked: Asked = { from: performance.now(), to: Infinity };
    this.#asked.push(asked);
    this.#log?.asked(asked);
    await this.#probe().catch(() => undefined);
    asked.to = performance.now();
    if (asked.to - asked.from < leastMs) this.#asked.splice(this.#asked.indexOf(asked), 1);
    if (this.#asked.length > mostKept) this.#asked = this.#asked.slice(mostKept / 2);
  }
}

/** The longest wait for an answer that overlaps the span, in ms. */
export function slowestOf(all: readonly Asked[], from: number, to: number): number {
  const now = performance.now();
  const overlapping = all.filter((asked) => asked.to >= from && asked.from <= to && asked.from <= now);
  return Math.max(0, ...overlapping.map((asked) => Math.min(asked.to, now) - asked.from));
}

/** Real time, with a watch on how well this machine and the service keep it while schedules run. */
class RealTime implements TimeKeeper {
  readonly controlled = false;
  readonly now = machineClock.now;
  readonly sleep = machineClock.sleep;
  readonly #calibration: Calibration;
  readonly #machine: Machine;
  #members = 0;

  /** @param probe a request to the service that costs it nothing */
  constructor(probe: () => Promise<unknown>, { machine, log }: Watching) {
    this.#calibration = new Calibration(probe, log);
    this.#machine = machine;
  }

  async begin(): Promise<void> {
    this.#machine.start();
  }

  watch(): void {}

  async join(): Promise<Participant> {
    this.#members += 1;
    this.#machine.start();
    if (this.#members === 1) this.#calibration.start();
    return takePartInRealTime(() => {
      this.#members -= 1;
      if (this.#members === 0) this.#calibration.stop();
    });
  }

  keptBetween(from: number, to: number): Kept {
    return { stalledMs: this.#machine.stalledMs(from, to), slowMs: this.#calibration.slowestBetween(from, to) };
  }

  async close(): Promise<void> {
    this.#calibration.stop();
  }
}

const unrecorded: Sender = { reuse: true, retries: [], add: () => undefined };

/** What watches a time. */
interface Watching {
  readonly machine: Machine;
  /** Told what happens, where the run is recorded. */
  readonly log?: TimeLog | undefined;
}

/** So long an order to the clock may take at least, in s: whatever falls due on the way is done before the answer. */
const leastClockSeconds = 30;

/** How long the clock may take to answer: as long as a request, where the profile lets that take longer. */
export function clockLimitsOf({ limits }: Pick<Profile, 'limits'>): { readonly requestTimeoutSeconds: number } {
  return { requestTimeoutSeconds: Math.max(leastClockSeconds, limits?.requestTimeoutSeconds ?? 0) };
}

/** The time of a run, as the profile says that it passes, on that machine. */
export function timeOf(
  profile: Profile,
  client: Pick<HttpClient, 'holdingTime' | 'isLockedOut' | 'requests' | 'send'>,
  watching: Watching,
): TimeKeeper {
  if (isTimeControlled(profile))
    return new ControlledTime({
      control: new ClockControl(profile, new HttpClient({ ...reachOf(profile), limits: clockLimitsOf(profile) })),
      requestsUnderWay: () => client.holdingTime,
      isLockedOut: () => client.isLockedOut(profile.expect?.duringValidation === 'wait'),
      requestsSent: () => client.requests,
      ...(watching.log && { log: watching.log }),
    });
  const probe = { method: 'GET', url: absoluteUrl(profile, '/'), headers: [] };
  return new RealTime(() => client.send(probe, unrecorded), watching);
}
