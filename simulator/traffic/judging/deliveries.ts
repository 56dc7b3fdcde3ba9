import { headerNames } from '../../../contract/names.ts';
import type { DeliverySummary } from '../../../contract/schemas/traffic.ts';
import type { Entry } from '../../extension/entry.ts';
import type { TrafficExchange } from '../engine.ts';
import type { TrafficExtension } from '../extension.ts';
import { Histogram } from '../../../contract/histogram.ts';
import { delaysIn } from '../measure/latencies.ts';
import { eventContentOf, isAnsweredWell } from '../results.ts';
import type { Complain } from './violations.ts';

/** How long nothing at all may arrive, in ms, before what is missing counts as lost; several times the first gap of the retries. */
const patienceMs = 10_000;
/** How long is waited after the load, in ms, for a service that still works off what it accepted. */
const longestWaitMs = 60_000;
const lookMs = 20;
const correlationHeader = headerNames.correlationId.toLowerCase();
/** The first retry of an event comes so long after the refusal, in ms, and some of that is left to the clocks of others. Source: extensions, Limits, retries row 1 */
const firstGapMs = 2000;
const earlyMs = 200;

/** A call as the extension took it; its members `status`, `ending` and `endedAt` are set when it ends. */
export type Call = Pick<Entry, 'arrivedAt' | 'status' | 'ending' | 'endedAt' | 'envelope'>;

/** Compares the events that the service accepted with those that arrived. Source: extensions, Events 1 and 2 */
export class Deliveries implements Disposable {
  readonly #accepted = new Map<string, TrafficExchange>();
  readonly #calls = new Map<string, Call[]>();
  /** Marker of the event that came first with that id in its envelope. */
  readonly #owners = new Map<string, string>();
  readonly #unwatch: () => void;
  /** Something was accepted or arrived. */
  #lastAt = 0;
  #isAnswering = true;

  constructor(extension: Pick<TrafficExtension, 'watch'>) {
    this.#unwatch = extension.watch((marker, call) => {
      this.#lastAt = Math.max(this.#lastAt, call.arrivedAt);
      const before = this.#calls.get(marker);
      if (before === undefined) this.#calls.set(marker, [call]);
      else before.push(call);
      const { id } = call.envelope ?? {};
      if (id !== undefined && !this.#owners.has(id)) this.#owners.set(id, marker);
    });
  }

  see(exchange: TrafficExchange): void {
    const {
      step: { about },
      result,
      error,
      endedAt,
    } = exchange;
    if (exchange.cutOff !== true) this.#isAnswering = error === undefined;
    if (about?.kind !== 'trigger' || error !== undefined || !isAnsweredWell(result.status)) return;
    this.#accepted.set(about.marker, exchange);
    this.#lastAt = Math.max(this.#lastAt, endedAt);
  }

  /** Whether an event came twice or too early, or stayed away while others that were accepted later came. */
  isBroken(now: number): boolean {
    return (
      this.#accepted
        .keys()
        .some(
          (marker) =>
            this.#isDoubled(marker) ||
            this.#earlyGapMs(marker) !== undefined ||
            this.#otherContent(marker) !== undefined ||
            this.#otherWithId(marker) !== undefined,
        ) || this.#listOvertaken(now).length > 0
    );
  }

  /** Waits for what is on its way, then tells what was lost or doubled. What a target that is gone still owes is no violation. */
  async finish(complain: Complain, signal: AbortSignal): Promise<DeliverySummary> {
    await this.#settle(signal);
    const now = performance.now();
    // a service that goes on sending when the wait is over is behind, which is no loss
    const isOver = !signal.aborted && this.#isAnswering && now - this.#lastAt >= patienceMs;
    for (const marker of isOver ? this.#listMissing() : this.#listOvertaken(now))
      complain(
        'delivery.rate.none-lost-none-doubled',
        `the event ${marker} to arrive until it is answered with 200`,
        this.#foundOf(marker),
        this.#accepted.get(marker),
      );
    for (const [marker, exchange] of this.#accepted) {
      const gapMs = this.#earlyGapMs(marker);
      if (gapMs !== undefined)
        complain(
          'delivery.event.retry-gaps',
          `the event ${marker} to come again ${firstGapMs} ms after it was refused`,
          `${Math.round(gapMs)} ms`,
          exchange,
        );
      const content = this.#otherContent(marker);
      if (content !== undefined)
        complain('calls.event.content-payload-equal', content.expected, content.found, exchange);
      const other = this.#otherWithId(marker);
      if (other !== undefined)
        complain(
          'calls.envelope.id-fresh-guid',
          `an id of its own in the envelope of the event ${marker}`,
          `that of the event ${other}`,
          exchange,
        );
      if (this.#isDoubled(marker))
        complain(
          'delivery.success.200-sent-once',
          `the event ${marker} to arrive no more once it is answered with 200`,
          this.#foundOf(marker),
          exchange,
        );
    }
    return this.#summary();
  }

  [Symbol.dispose](): void {
    this.#unwatch();
  }

  async #settle(signal: AbortSignal): Promise<void> {
    const until = performance.now() + longestWaitMs;
    const isWorthIt = (now: number): boolean =>
      !signal.aborted && this.#isAnswering && now < until && now - this.#lastAt < patienceMs;
    while (isWorthIt(performance.now()) && this.#listMissing().length > 0)
      await new Promise((resolve) => setTimeout(resolve, lookMs));
  }

  #summary(): DeliverySummary {
    const late = new Histogram();
    for (const [marker, { endedAt }] of this.#accepted) {
      const [first] = this.#callsOf(marker);
      if (first !== undefined) late.record(Math.max(0, first.arrivedAt - endedAt));
    }
    const arrived = this.#accepted.size - this.#listMissing().length;
    return { triggered: this.#accepted.size, arrived, ...delaysIn(late) };
  }

  #callsOf(marker: string): readonly Call[] {
    return this.#calls.get(marker) ?? [];
  }

  #foundOf(marker: string): string {
    const calls = this.#callsOf(marker);
    return calls.length === 0
      ? 'it did not arrive'
      : `calls answered with ${calls.map(({ status }) => status ?? 'nothing yet').join(', ')}`;
  }

  #isDoubled(marker: string): boolean {
    const calls = this.#callsOf(marker);
    const doneAt = calls.find(isDone)?.endedAt;
    return doneAt !== undefined && calls.some(({ arrivedAt }) => arrivedAt > doneAt);
  }

  /** The first member of the payload that a call brought as something else. What else a content may hold is left to how the event is bound. */
  #otherContent(marker: string): { readonly expected: string; readonly found: string } | undefined {
    const { about } = this.#accepted.get(marker)?.step ?? {};
    const sent = about?.kind === 'trigger' ? Object.entries(about.payload ?? {}) : [];
    for (const { envelope } of this.#callsOf(marker)) {
      const content = eventContentOf(envelope) ?? {};
      const wrong = sent.find(([name, value]) => content[name] !== value);
      if (wrong !== undefined)
        return {
          expected: `${wrong[0]} of the event ${marker} to be ${JSON.stringify(wrong[1])}`,
          found: JSON.stringify(content[wrong[0]]) ?? 'nothing',
        };
    }
    return undefined;
  }

  /** Another event whose calls had the same id, unless the requests of all name one. */
  #otherWithId(marker: string): string | undefined {
    const { headers = {} } = this.#accepted.get(marker)?.step ?? {};
    if (Object.keys(headers).some((name) => name.toLowerCase() === correlationHeader)) return undefined;
    return this.#callsOf(marker)
      .map(({ envelope }) => this.#owners.get(envelope?.id ?? ''))
      .find((owner) => owner !== undefined && owner !== marker);
  }

  /** Time from the first call to the second one, where the first was refused for the moment and the second came too early. A queue that is full makes it late, which is no breach. */
  #earlyGapMs(marker: string): number | undefined {
    const [first, second] = this.#callsOf(marker);
    if (first?.status === undefined || first.status < 500 || first.ending !== 'answered' || second === undefined)
      return undefined;
    const gapMs = second.arrivedAt - first.arrivedAt;
    return gapMs < firstGapMs - earlyMs ? gapMs : undefined;
  }

  #listMissing(): readonly string[] {
    return [...this.#accepted.keys()].filter((marker) => !this.#callsOf(marker).some(isDone));
  }

  /**
   * Missing for longer than the patience, while one has come that went the same way later: accepted since, or refused since and tried again. A
   * service with more to do than it can may leave what it has to try again for longer than what is new.
   */
  #listOvertaken(now: number): readonly string[] {
    const missing = this.#listMissing();
    if (missing.length === 0) return [];
    const done = [...this.#accepted].filter(([marker]) => this.#callsOf(marker).some(isDone));
    const newest = Math.max(0, ...done.map(([, { endedAt }]) => endedAt));
    const newestAgain = Math.max(
      0,
      ...done.map(([marker]) => this.#callsOf(marker)).map(([first, second]) => (second && first?.arrivedAt) ?? 0),
    );
    return missing.filter((marker) => {
      const calls = this.#callsOf(marker);
      const quietSince = Math.max(this.#accepted.get(marker)?.endedAt ?? 0, ...calls.map(({ arrivedAt }) => arrivedAt));
      return now - quietSince > patienceMs && (calls.length === 0 ? newest : newestAgain) > quietSince;
    });
  }
}

/** Answered with 200, and the answer was sent whole. */
function isDone({ status, ending }: Call): boolean {
  return status === 200 && ending === 'answered';
}
