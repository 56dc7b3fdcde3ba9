import type { ThresholdResult } from '../../contract/schemas/traffic.ts';
import type { Tally } from './measure/tally.ts';

/** A target is gone when so many requests in a row, and nobody for so long, got an answer. In ms. */
const [fewestLost, goneMs] = [20, 5000];
/** Errors are looked at over so many whole seconds, and where there were so many requests at least. */
const [windowSeconds, fewestRequests] = [10, 20];

/** Ends a load that says nothing any more, or harms: nobody answers, or more requests fail than whoever made it would bear. */
export class Limits {
  /** Why the load was ended. */
  reason: string | undefined;
  readonly #mostErrors: number | undefined;
  #worst = 0;

  /** @param mostErrors in percent of the requests of ten seconds; any unless given */
  constructor(mostErrors: number | undefined) {
    this.#mostErrors = mostErrors;
  }

  /** @param now monotonic ms */
  areCrossed(tally: Pick<Tally, 'seconds' | 'lostInARow' | 'answeredAt'>, now: number): boolean {
    const silentMs = now - tally.answeredAt;
    if (tally.lostInARow >= fewestLost && silentMs >= goneMs)
      this.reason ??= `The load ended early: the last ${tally.lostInARow} requests got no answer, for ${Math.round(silentMs / 1000)} s; the target is gone.`;
    if (this.#mostErrors !== undefined && this.#errorsIn(tally.seconds()) > this.#mostErrors)
      this.reason ??= `The load ended early: more than ${this.#mostErrors} % of the requests of ${windowSeconds} s were errors.`;
    return this.reason !== undefined;
  }

  /** Whether errors stayed within what may be; undefined where anything may. */
  kept(): ThresholdResult | undefined {
    if (this.#mostErrors === undefined) return undefined;
    const text = `errors<=${this.#mostErrors}% in any ${windowSeconds} s`;
    return { text, met: this.#worst <= this.#mostErrors, found: `${Number(this.#worst.toPrecision(4))}%` };
  }

  #errorsIn(seconds: ReturnType<Tally['seconds']>): number {
    const window = seconds.slice(-windowSeconds - 1, -1);
    const requests = window.reduce((sum, one) => sum + one.requests, 0);
    const errors = window.reduce((sum, one) => sum + one.errors, 0);
    const percent = requests < fewestRequests ? 0 : (errors / requests) * 100;
    this.#worst = Math.max(this.#worst, percent);
    return percent;
  }
}
