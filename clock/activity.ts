import { nextTurn, systemClock } from './clock.ts';

/**
 * How long a call whose end nobody foretold is waited for, in real time, before it counts as held. It passes in slices, each with turns of
 * the event loop, of which a call takes some twenty: a machine that is slow or stood still gets as many of them as any other.
 */
const patienceSlices = 10;
const sliceMs = 10;
const turnsOfSlice = 10;

/** The same for a client that tells how many calls it holds: then it is only there against waiting for ever. */
const longPatienceSlices = 200;

/** Turns of the event loop without any activity that make a rest: what a finished call leads to takes one or two. */
const quietTurns = 4;

/** One call to another host that is on its way. */
type OnTheWay = object;

/**
 * What goes on in a server or a host without waiting for the clock: work of its own, and calls to others. A call may be held by whoever
 * answers it, until time has passed; so it must not stop time from passing. The client who moves time says how many calls it holds; without
 * that, a call which is not answered at once counts as held.
 */
export class Activity {
  #works = 0;
  readonly #calls = new Set<OnTheWay>();
  #held = 0;
  #told = false;
  #supposed = new WeakSet<OnTheWay>();
  /** Made when somebody waits for it. */
  #change: PromiseWithResolvers<void> | undefined;

  get calls(): number {
    return this.#calls.size;
  }

  /** Calls that the client keeps open; it tells the number anew whenever it changes. */
  hold(calls: number): void {
    this.#held = calls;
    this.#told = true;
    this.#supposed = new WeakSet();
    this.#tell();
  }

  async work<T>(work: () => Promise<T>): Promise<T> {
    this.#works += 1;
    try {
      return await work();
    } finally {
      this.#works -= 1;
      this.#tell();
    }
  }

  async call<T>(call: () => Promise<T>): Promise<T> {
    const onTheWay = {};
    this.#calls.add(onTheWay);
    try {
      return await call();
    } finally {
      this.#calls.delete(onTheWay);
      this.#tell();
    }
  }

  /** Resolves when nothing goes on but what waits for time. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns;) {
      await nextTurn();
      if (this.#isQuiet()) quiet += 1;
      else {
        quiet = 0;
        await (this.#works > 0 ? this.#changed() : this.#callEnded());
      }
    }
  }

  #isQuiet(): boolean {
    const open = this.#calls.values().filter((call) => !this.#supposed.has(call));
    return this.#works === 0 && [...open].length <= this.#held;
  }

  /** Waits for any change; when none comes in time, the calls that are on their way count as held. */
  async #callEnded(): Promise<void> {
    const changed = this.#changed().then(() => true);
    for (let slice = 0; slice < (this.#told ? longPatienceSlices : patienceSlices); slice += 1)
      if (await Promise.race([changed, waitInVain()])) return;
    this.#supposeHeld();
  }

  #changed(): Promise<void> {
    this.#change ??= Promise.withResolvers();
    return this.#change.promise;
  }

  #tell(): void {
    this.#change?.resolve();
    this.#change = undefined;
  }

  #supposeHeld(): void {
    for (const call of this.#calls) this.#supposed.add(call);
    this.#tell();
  }
}

/** One slice of the patience. */
async function waitInVain(): Promise<false> {
  await systemClock.sleep(sliceMs);
  for (let turn = 0; turn < turnsOfSlice; turn += 1) await nextTurn();
  return false;
}
