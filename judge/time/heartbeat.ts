import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { lostIn, type Machine, type Stall } from './keeper.ts';
import { startWorker } from '../run/start-worker.ts';

/** What the thread of the heartbeat shares with those who ask: whether it is to end, how many stalls and beats there were, and the latest stalls. */
export interface BeatData {
  readonly shared: SharedArrayBuffer;
}

/** Stalls below are no news, in ms. */
export const leastStallMs = 5;
export const mostStalls = 4096;

/** How often the thread of the cases looks whether it wakes in time, in ms. */
const tickMs = 20;

const extension = extname(import.meta.url);

/**
 * Tells for each span of time how far this machine let the suite go on in it: by a thread of its own, which does nothing else, and by the
 * thread that takes the calls of the service.
 */
export class Heartbeat implements Machine {
  readonly #shared = new SharedArrayBuffer(16 + mostStalls * 3 * 8);
  readonly #state = new Int32Array(this.#shared, 0, 4);
  readonly #spans = new Float64Array(this.#shared, 16);
  #own: Stall[] = [];
  #worker: Worker | undefined;
  readonly #ticking: NodeJS.Timeout;
  #lastTick: number;

  /** Begins to watch the thread of the cases. */
  constructor() {
    this.#lastTick = performance.now();
    this.#ticking = setInterval(() => this.#tick(), tickMs).unref();
  }

  /** Times that the thread of the heartbeat woke. */
  get beats(): number {
    return Atomics.load(this.#state, 2);
  }

  /** Begins to watch the machine, unless it does already: a thread is worth it where things are due in real time. */
  start(): void {
    this.#worker ??= this.#beginToBeat();
  }

  /** How much time was lost in the span, in ms of `performance.now`: by whichever thread lost more. */
  stalledMs(from: number, to: number): number {
    const now = performance.now();
    const open: Stall = { from: this.#lastTick, to: now, ms: now - this.#lastTick - tickMs };
    return Math.max(lostIn([...this.#own, open], from, to), lostIn(this.#stalls(), from, to));
  }

  /** What each of the threads lost. */
  lost(): readonly (readonly Stall[])[] {
    return [this.#own, this.#stalls()];
  }

  stop(): void {
    clearInterval(this.#ticking);
    Atomics.store(this.#state, 0, 1);
    void this.#worker?.terminate();
  }

  #beginToBeat(): Worker {
    const worker = startWorker(new URL(`heartbeat.worker${extension}`, import.meta.url), {
      workerData: { shared: this.#shared } satisfies BeatData,
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
    });
    // without it the thread of the cases still tells of itself
    worker.on('error', () => undefined);
    worker.unref();
    return worker;
  }

  #tick(): void {
    const now = performance.now();
    const ms = now - this.#lastTick - tickMs;
    if (ms >= leastStallMs) this.#own.push({ from: this.#lastTick, to: now, ms });
    if (this.#own.length > mostStalls) this.#own = this.#own.slice(mostStalls / 2);
    this.#lastTick = now;
  }

  #stalls(): readonly Stall[] {
    const count = Math.min(Atomics.load(this.#state, 1), mostStalls);
    // the clocks of two threads begin at different times
    const offset = performance.now() - Number(process.hrtime.bigint()) / 1e6;
    return Array.from({ length: count }, (_, index) => {
      const [from = 0, to = 0, ms = 0] = this.#spans.subarray(index * 3, index * 3 + 3);
      return { from: from + offset, to: to + offset, ms };
    });
  }
}
