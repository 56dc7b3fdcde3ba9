import { Timers } from '../time/controlled.ts';
import {
  type Asked,
  type JoinOptions,
  type Kept,
  lostIn,
  type Machine,
  type Participant,
  sleepBeside,
  type Stall,
  takePartInRealTime,
  type TimeKeeper,
  untilSlept,
} from '../time/keeper.ts';
import { slowestOf } from '../time/time-of.ts';
import { machineClock } from '../../simulator/extension/clock.ts';

/** The time in which a service lived that was moved by the suite, as it was recorded. */
export class TapedControlledTime implements TimeKeeper {
  readonly controlled = true;
  readonly #timers = new Timers();
  readonly #begun = Promise.withResolvers<void>();
  readonly #taken = Promise.withResolvers<void>();
  /** Who takes part and is no guest. */
  readonly #members = new Set<object>();
  #now = 0;
  #readAt: number | undefined = performance.now();

  /** Told what was recorded. */
  set(now: number, goesOn: boolean): void {
    this.#now = now;
    this.#readAt = goesOn ? performance.now() : undefined;
    this.#begun.resolve();
    if (!goesOn) this.#taken.resolve();
  }

  /** Told what was recorded. */
  wake(now: number): void {
    this.#timers.wake(now);
  }

  now(): number {
    return this.#readAt === undefined ? this.#now : this.#now + performance.now() - this.#readAt;
  }

  get standsStill(): boolean {
    return this.#readAt === undefined;
  }

  async sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    if (this.#readAt !== undefined) return machineClock.sleep(delayMs, signal);
    await sleepBeside(
      delayMs,
      (over) => this.#slept(delayMs, over),
      () => this.#members.size > 0,
      signal,
    );
  }

  #slept(delayMs: number, signal: AbortSignal): Promise<void> {
    return this.#timers.sleep(this.#now + delayMs, signal);
  }

  /** What stands before the first time that was told is in no time of the service. */
  begin(): Promise<void> {
    return this.#begun.promise;
  }

  watch(): void {}

  still<T>(run: () => Promise<T>): Promise<T> {
    return run();
  }

  keptBetween(): Kept {
    return { stalledMs: 0, slowMs: 0 };
  }

  async join(signal: AbortSignal, { isGuest = false }: JoinOptions = {}): Promise<Participant> {
    await this.#taken.promise;
    const member = {};
    if (!isGuest) this.#members.add(member);
    return {
      until: (promise, withinMs) => untilSlept(promise, (over) => this.#slept(withinMs, over), signal),
      through: (run) => run(),
      beside: (run) => run(),
      leave: () => void this.#members.delete(member),
    };
  }

  async close(): Promise<void> {}
}

/** This machine as it was when the run was recorded. */
export class TapedMachine implements Machine {
  readonly #lost: readonly (readonly Stall[])[];

  /** @param lost what each thread lost */
  constructor(lost: readonly (readonly Stall[])[]) {
    this.#lost = lost;
  }

  start(): void {}

  stalledMs(from: number, to: number): number {
    return Math.max(0, ...this.#lost.map((stalls) => lostIn(stalls, from, to)));
  }

  stop(): void {}
}

/** Real time, kept as well as when it was recorded. */
export class TapedRealTime implements TimeKeeper {
  readonly controlled = false;
  readonly now = machineClock.now;
  readonly sleep = machineClock.sleep;
  readonly #machine: Machine;
  readonly #asked: readonly Asked[];

  constructor(machine: Machine, asked: readonly Asked[]) {
    this.#machine = machine;
    this.#asked = asked;
  }

  async begin(): Promise<void> {}

  watch(): void {}

  keptBetween(from: number, to: number): Kept {
    return { stalledMs: this.#machine.stalledMs(from, to), slowMs: slowestOf(this.#asked, from, to) };
  }

  async join(): Promise<Participant> {
    return takePartInRealTime();
  }

  async close(): Promise<void> {}
}
