import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock/clock.ts';
import { isControlled } from '../clock/controlled.ts';
import type { Service } from '../service.ts';
import { apart } from '../store/nesting.ts';
import type { StoredDelivery } from '../store/queue.ts';
import type { Writing } from '../store/store.ts';
import { Alarm } from './alarm.ts';
import type { Claim, Host } from './claim.ts';
import type { CallOutcome } from './delivery.ts';
import { preparedRequest, sent } from './call.ts';
import { outgoingOf } from './outgoing.ts';
import { leaseRenewalMs } from './policy.ts';
import { Running } from './running.ts';
import { Starts } from './starts.ts';

/** Requests are made so long before their time, which is what making 500 of them takes. */
const usualHeadStartMs = 300;
/** Before a change set is tried again that the store did not take. */
const storeRetryMs = 1000;
/** From one look at a store that others use as well to the next. */
const sharedLookMs = 30_000;
/** From when another host says that it queued something to a look: its is the first go, and one look is enough for many. */
const toldLookMs = 1000;

/**
 * Delivers what is queued in the store. It looks when something was queued here, when an attempt has ended, and when the next due time, or
 * the end of another host's lease, has come; while nothing is queued it does not look at all. Everything that decides is in the store: any
 * number of hosts may do this over one queue, and one that dies leaves nothing but leases that run out. What another host queued is found
 * soon, where the store tells of it, or else at the next look, which a store that is shared gets now and then though nothing is known to be
 * queued there.
 */
class DeliveryDispatcher implements Host {
  readonly id = randomUUID();
  lookedUntil = -Infinity;
  readonly headStartMs: number;
  readonly #service: Service;
  readonly #running = new Running();
  readonly #alarm: Alarm;
  readonly #renewal: Alarm;
  #wanted: Set<string> | 'all' = new Set();
  /** When all endpoints are to be looked at, whatever is known of them. */
  #lookBy: number | undefined;
  #looking: Promise<void> | undefined;
  readonly #starts: Starts;
  #unwatch: (() => void) | undefined;
  #closed = false;

  constructor(service: Service) {
    this.#service = service;
    this.#starts = new Starts(service, this.id);
    this.headStartMs = headStartWith(service.clock);
    this.#alarm = new Alarm(service.clock, 'delivery', () => this.wake('all'));
    this.#renewal = new Alarm(service.clock, 'lease', () => void this.#renew());
  }

  running(endpoint?: string): number {
    return this.#running.count(endpoint);
  }

  isRunning(deliveryId: string): boolean {
    return this.#running.has(deliveryId);
  }

  /** Looks for what is ready: at an endpoint, or everywhere. May be called inside the change set that makes it ready. */
  wake(endpoint: string): void {
    if (this.#closed) return;
    if (endpoint === 'all') this.#wanted = 'all';
    else if (this.#wanted !== 'all') this.#wanted.add(endpoint);
    this.#looking ??= apart(() => this.#look());
  }

  /** Looks at what other hosts have left or queued, and goes on doing so. */
  watch(): void {
    this.#unwatch ??= this.#service.store.watch?.(() => this.#lookSoon());
    this.wake('all');
  }

  /** Begins nothing any more. */
  stop(): void {
    this.#closed = true;
    this.#unwatch?.();
    this.#starts.stop();
    this.#alarm.clear();
  }

  /** Resolves when what was begun is on record. */
  async ended(): Promise<void> {
    await this.#looking;
    await this.#running.ended();
  }

  /** What was begun and not done is due when it was. Where that fails, its lease runs out. */
  async giveBack(): Promise<void> {
    this.#renewal.clear();
    const { store, log } = this.#service;
    await store
      .change((writing) => writing.releaseLeases(this.id))
      .catch((error: unknown) => log.error({ err: error }, 'deliveries that were begun could not be given back'));
  }

  async #look(): Promise<void> {
    const { behaviours, clock, store } = this.#service;
    while (!this.#closed && (this.#wanted === 'all' || this.#wanted.size > 0)) {
      const wanted = this.#wanted;
      this.#wanted = new Set();
      if (wanted === 'all' && store.isShared) this.#lookBy = clock.now() + sharedLookMs;
      await this.#claim((writing) => behaviours.claimReady(this.#service, writing, this, wanted));
    }
    this.#looking = undefined;
  }

  /** A change set that may take deliveries. Their places are taken with it: others of the same commit claim before it is durable. */
  async #claim(work: (writing: Writing) => Promise<Claim | undefined>): Promise<void> {
    let taken: readonly StoredDelivery[] = [];
    const claim = await this.#durably(
      async (writing) => {
        const claimed = await work(writing);
        taken = claimed?.deliveries ?? [];
        for (const delivery of taken) this.#running.add(delivery);
        return claimed;
      },
      () => {
        for (const delivery of taken) this.#running.remove(delivery);
        taken = [];
      },
    );
    if (claim !== undefined) this.#begin(claim);
  }

  #begin({ deliveries, lookedUntil, nextReadyAt }: Claim): void {
    this.lookedUntil = lookedUntil;
    for (const delivery of deliveries) this.#running.begin(this.#attempt(delivery));
    this.#setAlarm(nextReadyAt);
    this.#setRenewal();
  }

  #lookSoon(): void {
    if (this.#closed) return;
    this.#lookBy = Math.min(this.#lookBy ?? Infinity, this.#service.clock.now() + toldLookMs);
    if ((this.#alarm.at ?? Infinity) > this.#lookBy) this.#alarm.set(this.#lookBy);
  }

  #setAlarm(nextReadyAt: number | undefined): void {
    if (this.#closed) return;
    const at = Math.min((nextReadyAt ?? Infinity) - this.headStartMs, this.#lookBy ?? Infinity);
    this.#alarm.set(at === Infinity ? undefined : at);
  }

  #setRenewal(): void {
    if (this.#running.count() === 0) this.#renewal.clear();
    else if (this.#renewal.at === undefined) this.#renewal.set(this.#service.clock.now() + leaseRenewalMs);
  }

  async #renew(): Promise<void> {
    const { behaviours, clock } = this.#service;
    await this.#durably((writing) => writing.renewLeases(this.id, behaviours.leaseFor(clock.now())));
    this.#setRenewal();
  }

  async #attempt(delivery: StoredDelivery): Promise<void> {
    const outcome = await this.#outcomeOf(delivery);
    if (outcome !== undefined) return this.#record(delivery, outcome);
    this.#running.remove(delivery);
    this.wake(delivery.endpoint);
  }

  /** Undefined when the delivery was called back, or the server closed, before it came to an end: then it stays as it was. */
  async #outcomeOf(delivery: StoredDelivery): Promise<CallOutcome | undefined> {
    const service = this.#service;
    try {
      const request = await preparedRequest(service, delivery, delivery.attempts + 1);
      if (!(await this.#startsInTime(delivery))) return undefined;
      return await sent(service, request);
    } catch (error) {
      if (this.#closed) return undefined;
      service.log.error({ err: error, deliveryId: delivery.id }, 'a call could not be made');
      return { kind: 'failed', reason: 'the request could not be made' };
    }
  }

  /** What was taken ahead of its time waits; what is due already starts. */
  async #startsInTime(delivery: StoredDelivery): Promise<boolean> {
    const { readyAt = 0 } = delivery;
    return readyAt <= this.#service.clock.now() || this.#starts.wait(delivery);
  }

  /** The record of an attempt and the claim of what comes after it at this endpoint are one change set. */
  async #record(delivery: StoredDelivery, outcome: CallOutcome): Promise<void> {
    const { behaviours, clock } = this.#service;
    const endedAt = clock.now();
    await this.#claim(async (writing) => {
      await behaviours.recordOutcome(this.#service, writing, { delivery, host: this.id, outcome, endedAt });
      this.#running.remove(delivery);
      return this.#claimAfter(writing, delivery.endpoint);
    });
  }

  async #claimAfter(writing: Writing, endpoint: string): Promise<Claim | undefined> {
    if (this.#closed) return undefined;
    return this.#service.behaviours.claimReady(this.#service, writing, this, new Set([endpoint]));
  }

  /** A change set that is tried until the store takes it, undone in memory in between; undefined when the server is closed meanwhile. */
  async #durably<T>(
    work: (writing: Writing) => Promise<T>,
    undo: () => void = () => undefined,
  ): Promise<T | undefined> {
    const { store, clock, log } = this.#service;
    const { activity, closing } = outgoingOf(this.#service);
    for (;;) {
      try {
        return await activity.work(() => store.change(work));
      } catch (error) {
        undo();
        log.error({ err: error }, 'the store did not take a change of the delivery queue');
        if (closing.aborted) return undefined;
        await clock.sleep(storeRetryMs, { tag: 'store', signal: closing }).catch(() => undefined);
      }
    }
  }
}

/** Where time stands still while requests are made, there is nothing to be ahead of. */
function headStartWith(clock: Clock): number {
  return isControlled(clock) ? 0 : usualHeadStartMs;
}

export type Dispatcher = Pick<DeliveryDispatcher, 'wake' | 'watch' | 'stop' | 'ended' | 'giveBack'>;

const dispatchers = new WeakMap<Service, DeliveryDispatcher>();

/** The one dispatcher of the service; made when something is queued. */
export function dispatcherOf(service: Service): Dispatcher {
  const known = dispatchers.get(service);
  if (known) return known;
  const dispatcher = new DeliveryDispatcher(service);
  dispatchers.set(service, dispatcher);
  return dispatcher;
}

export function dispatcherIfAny(service: Service): Dispatcher | undefined {
  return dispatchers.get(service);
}
