import type { BehindSecond, Lateness } from '../../../contract/schemas/traffic.ts';
import { Histogram } from '../../../contract/histogram.ts';
import { delaysIn } from './latencies.ts';

/** A worker did not keep its rate in a second when it began more than this share of its journeys later than that, in ms, or could not begin one. */
const [tolerableMs, tolerableShare] = [50, 0.01];

/** How punctually a worker begins journeys: over the whole load, and in which seconds it did not keep the rate it was asked for. */
export class Punctuality {
  readonly #worker: number;
  readonly #lateness = new Histogram();
  readonly #behind: BehindSecond[] = [];
  #now: BehindSecond;
  #skipped = 0;

  /** @param worker from 1 */
  constructor(worker: number) {
    this.#worker = worker;
    this.#now = this.#nothingIn(0);
  }

  /** @param dueMs since the load began. @param lateMs how much later it was its turn. @param begun whether it could begin then */
  count(dueMs: number, lateMs: number, begun: boolean): void {
    this.#turnTo(Math.floor(dueMs / 1000));
    this.#lateness.record(lateMs);
    const { due, late, skipped, maxMs } = this.#now;
    this.#now = {
      ...this.#now,
      due: due + 1,
      late: late + (lateMs > tolerableMs ? 1 : 0),
      skipped: skipped + (begun ? 0 : 1),
      maxMs: Math.max(maxMs, lateMs),
    };
    if (!begun) this.#skipped += 1;
  }

  summary(): Lateness {
    const behind = [...this.#behind, ...(isBehind(this.#now) ? [this.#now] : [])];
    return { ...delaysIn(this.#lateness), skipped: this.#skipped, ...(behind.length > 0 && { behind }) };
  }

  #turnTo(second: number): void {
    if (second === this.#now.second) return;
    if (isBehind(this.#now)) this.#behind.push(this.#now);
    this.#now = this.#nothingIn(second);
  }

  #nothingIn(second: number): BehindSecond {
    return { worker: this.#worker, second, due: 0, late: 0, skipped: 0, maxMs: 0 };
  }
}

function isBehind({ due, late, skipped }: BehindSecond): boolean {
  return skipped > 0 || late > due * tolerableShare;
}
