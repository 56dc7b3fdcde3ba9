import type { DeliverySummary } from '../../../contract/schemas/traffic.ts';
import type { TrafficExchange } from '../engine.ts';
import type { TrafficExtension } from '../extension.ts';
import { openHistogram } from '../measure/histogram.ts';
import type { Complain } from './violations.ts';

/** How long an event that was accepted last may take, in ms, before it counts as lost. */
const patienceMs = 10_000;
const lookMs = 20;

/** Compares the events that the service accepted with those that arrived. Source: extensions, Events 1 and 2 */
export class Deliveries implements Disposable {
  readonly #accepted = new Map<string, TrafficExchange>();
  readonly #arrived = new Map<string, number[]>();
  readonly #unwatch: () => void;

  constructor(extension: TrafficExtension) {
    this.#unwatch = extension.watch((marker, { arrivedAt }) => {
      this.#arrived.set(marker, [...(this.#arrived.get(marker) ?? []), arrivedAt]);
    });
  }

  see(exchange: TrafficExchange): void {
    const { about } = exchange.step;
    if (about?.kind === 'trigger' && exchange.error === undefined && exchange.result.status < 300) this.#accepted.set(about.marker, exchange);
  }

  /** Waits for what is on its way, then tells what was lost or doubled. */
  async finish(complain: Complain, signal: AbortSignal): Promise<DeliverySummary> {
    const until = performance.now() + patienceMs;
    while (!signal.aborted && performance.now() < until && this.#missing().length > 0) await new Promise((resolve) => setTimeout(resolve, lookMs));
    const late = openHistogram();
    for (const [marker, exchange] of this.#accepted) {
      const times = this.#arrived.get(marker) ?? [];
      const [first] = times;
      if (first !== undefined) late.record(Math.max(0, first - exchange.endedAt));
      else if (!signal.aborted) complain('delivery.rate.none-lost-none-doubled', `the event ${marker} to arrive within ${patienceMs / 1000} s`, 'it did not', exchange);
      if (times.length > 1) complain('delivery.success.200-sent-once', `the event ${marker} to arrive once, as it was answered with 200`, `${times.length} times`, exchange);
    }
    const arrived = this.#accepted.size - this.#missing().length;
    return { triggered: this.#accepted.size, arrived, p50Ms: late.percentile(50), p99Ms: late.percentile(99), maxMs: late.max };
  }

  [Symbol.dispose](): void {
    this.#unwatch();
  }

  #missing(): readonly string[] {
    return [...this.#accepted.keys()].filter((marker) => !this.#arrived.has(marker));
  }
}
