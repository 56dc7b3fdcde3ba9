import { randomUUID } from 'node:crypto';
import type { Log } from '../http/call.ts';
import { type Clock, nextTurn, systemClock } from '../../clock/clock.ts';
import { isControlled } from '../../clock/controlled.ts';
import type { CallOutcome, StoredDelivery } from '../ports/deliveries.ts';
import { Alarm, type Outgoing } from '../ports/outgoing.ts';
import { type Store, type Writing, detach } from '../ports/store.ts';
import type { Attempt, Claim, Deliveries, Host } from './deliveries.ts';
import type { OutgoingCalls } from './outgoing-calls.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import { leaseFor, leaseRenewalMs } from './delivery-policies.ts';

/** Requests are made so long before their time, which is what making 500 of them takes. */
const usualHeadStartMs = 300;

/** Before a change set is tried again that the store did not take. */
const storeRetryMs = 1000;

/** From one look at a store that others use as well to the next. */
const sharedLookMs = 30_000;

/** From when another host says that it queued something to a look: its is the first go, and one look is enough for many. */
const toldLookMs = 1000;

interface Needs {
  readonly clock: Clock;
  readonly log: Log;
  readonly outgoing: Outgoing;
  readonly store: Store;
  readonly deliveries: Deliveries;
  readonly outgoingCalls: OutgoingCalls;
  readonly queue: DeliveryQueue;
}

/**
 * Delivers what is queued in the store. It looks when something was queued here, when an attempt has ended, and when the next due time, or
 * the end of another host's lease, has come; while nothing is queued it does not look at all. Everything that decides is in the store: any
 * number of hosts may do this over one queue, and one that dies leaves nothing but leases that run out. What another host queued is found
 * soon, where the store tells of it, or else at the next look, which a store that is shared gets now and then though nothing is known to be
 * queued there.
 */
export class DeliveryDispatcher implements Host {
  readonly id = randomUUID();
  lookedUntil = -Infinity;
  readonly headStartMs: number;
  private readonly needs: Needs;
  readonly #running = new Running();
  readonly #alarm: Alarm;
  readonly #renewal: Alarm;
  #wanted: Set<string> | 'all' = new Set();
  /** When all endpoints are to be looked at, whatever is known of them. */
  #lookBy: number | undefined;
  #looking: Promise<void> | undefined;
  readonly #starts: Starts;
  #unwatch: (() => void) | undefined;
  /** Whether it ever looked. */
  #isAwake = false;
  #closed = false;

  constructor(needs: Needs) {
    this.needs = needs;
    needs.queue.onReady((endpoint) => this.wake(endpoint));
    this.#starts = new Starts(needs, this.id);
    // where time stands still while requests are made, there is nothing to be ahead of
    this.headStartMs = isControlled(this.needs.clock) ? 0 : usualHeadStartMs;
    this.#alarm = new Alarm(this.needs.clock, 'delivery', () => this.wake('all'));
    this.#renewal = new Alarm(this.needs.clock, 'lease', () => void this.#renew());
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
    this.#isAwake = true;
    if (endpoint === 'all') this.#wanted = 'all';
    else if (this.#wanted !== 'all') this.#wanted.add(endpoint);
    this.#looking ??= detach(() => this.#look());
  }

  /**
   * Goes on with what an earlier run, or another host, left in the queue. One look at the store, and nothing more when it is empty, unless
   * other hosts may use it: they may die and leave something at any time.
   */
  async start(): Promise<void> {
    if (this.needs.store.isShared) return this.#watch();
    const next = await this.needs.store.read((reading) => reading.nextReadyAt('', -Infinity));
    if (next !== undefined) this.wake('all');
  }

  /** Begins no call any more, lets those that are on their way end, gives up what takes too long, and gives it back to the queue. */
  async close(): Promise<void> {
    this.#stop();
    await patiently(Promise.all([this.#ended(), this.needs.outgoing.ended()]));
    await this.needs.outgoing.close();
    await this.#ended();
    if (this.#isAwake) await this.#giveBack();
  }

  /** Looks at what other hosts have left or queued, and goes on doing so. */
  #watch(): void {
    this.#unwatch ??= this.needs.store.watch?.(() => this.#lookSoon());
    this.wake('all');
  }

  /** Begins nothing any more. */
  #stop(): void {
    this.#closed = true;
    this.#unwatch?.();
    this.#starts.stop();
    this.#alarm.clear();
  }

  /** Resolves when what was begun is on record. */
  async #ended(): Promise<void> {
    await this.#looking;
    await this.#running.ended();
  }

  /** What was begun and not done is due when it was. Where that fails, its lease runs out. */
  async #giveBack(): Promise<void> {
    this.#renewal.clear();
    const { store, log } = this.needs;
    await store
      .change((writing) => writing.releaseLeases(this.id))
      .catch((error: unknown) => log.error({ err: error }, 'deliveries that were begun could not be given back'));
  }

  async #look(): Promise<void> {
    const { clock, store } = this.needs;
    while (!this.#closed && (this.#wanted === 'all' || this.#wanted.size > 0)) {
      const wanted = this.#wanted;
      this.#wanted = new Set();
      if (wanted === 'all' && store.isShared) this.#lookBy = clock.now() + sharedLookMs;
      await this.#claim((writing) => this.needs.deliveries.claimReady(writing, this, wanted));
    }
    this.#looking = undefined;
  }

  /** A change set that may take deliveries. Their places are taken with it: others of the same commit claim before it is durable. */
  async #claim(work: (writing: Writing) => Promise<Claim | undefined>): Promise<void> {
    let taken: readonly Attempt[] = [];
    const claim = await this.#durably(
      async (writing) => {
        const claimed = await work(writing);
        taken = claimed?.attempts ?? [];
        for (const { delivery } of taken) this.#running.add(delivery);
        return claimed;
      },
      () => {
        for (const { delivery } of taken) this.#running.remove(delivery);
        taken = [];
      },
    );
    if (claim !== undefined) this.#begin(claim);
  }

  #begin({ attempts, lookedUntil, nextReadyAt }: Claim): void {
    this.lookedUntil = lookedUntil;
    for (const attempt of attempts) this.#running.begin(this.#make(attempt));
    this.#setAlarm(nextReadyAt);
    this.#setRenewal();
  }

  #lookSoon(): void {
    if (this.#closed) return;
    this.#lookBy = Math.min(this.#lookBy ?? Infinity, this.needs.clock.now() + toldLookMs);
    if ((this.#alarm.at ?? Infinity) > this.#lookBy) this.#alarm.set(this.#lookBy);
  }

  #setAlarm(nextReadyAt: number | undefined): void {
    if (this.#closed) return;
    const at = Math.min((nextReadyAt ?? Infinity) - this.headStartMs, this.#lookBy ?? Infinity);
    this.#alarm.set(at === Infinity ? undefined : at);
  }

  #setRenewal(): void {
    if (this.#running.count() === 0) this.#renewal.clear();
    else if (this.#renewal.at === undefined) this.#renewal.set(this.needs.clock.now() + leaseRenewalMs);
  }

  async #renew(): Promise<void> {
    const { clock } = this.needs;
    await this.#durably((writing) => writing.renewLeases(this.id, leaseFor(clock.now())));
    this.#setRenewal();
  }

  async #make(attempt: Attempt): Promise<void> {
    const { delivery } = attempt;
    const outcome = await this.#outcomeOf(attempt);
    if (outcome !== undefined) return this.#record(attempt, outcome);
    this.#running.remove(delivery);
    this.wake(delivery.endpoint);
  }

  /** Undefined when the delivery was called back, or the server closed, before it came to an end: then it stays as it was. */
  async #outcomeOf({ delivery, callee }: Attempt): Promise<CallOutcome | undefined> {
    try {
      const request = await this.needs.outgoingCalls.preparedRequest(delivery, callee, delivery.attempts + 1);
      if (!(await this.#startsInTime(delivery))) return undefined;
      return await this.needs.outgoingCalls.call(request);
    } catch (error) {
      if (this.#closed) return undefined;
      this.needs.log.error({ err: error, deliveryId: delivery.id }, 'a call could not be made');
      return { kind: 'failed', reason: 'the request could not be made' };
    }
  }

  /** What was taken ahead of its time waits; what is due already starts. */
  async #startsInTime(delivery: StoredDelivery): Promise<boolean> {
    const { readyAt = 0 } = delivery;
    return readyAt <= this.needs.clock.now() || this.#starts.wait(delivery);
  }

  /** The record of an attempt and the claim of what comes after it at this endpoint are one change set. */
  async #record(attempt: Attempt, outcome: CallOutcome): Promise<void> {
    const { clock } = this.needs;
    const { delivery } = attempt;
    const endedAt = clock.now();
    await this.#claim(async (writing) => {
      await this.needs.deliveries.recordOutcome(writing, { ...attempt, host: this.id, outcome, endedAt });
      this.#running.remove(delivery);
      return this.#claimAfter(writing, delivery.endpoint);
    });
  }

  async #claimAfter(writing: Writing, endpoint: string): Promise<Claim | undefined> {
    if (this.#closed) return undefined;
    return this.needs.deliveries.claimReady(writing, this, new Set([endpoint]));
  }

  /** A change set that is tried until the store takes it, undone in memory in between; undefined when the server is closed meanwhile. */
  async #durably<T>(
    work: (writing: Writing) => Promise<T>,
    undo: () => void = () => undefined,
  ): Promise<T | undefined> {
    const { store, clock, log } = this.needs;
    const { activity, closing } = this.needs.outgoing;
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

/** Deliveries that were taken, by endpoint, and the attempts that are being made of them. */
class Running {
  readonly #endpoints = new Map<string, Set<string>>();
  readonly #deliveries = new Set<string>();
  readonly #attempts = new Set<Promise<void>>();

  /** It has a place from now on. */
  add({ id, endpoint }: StoredDelivery): void {
    this.#deliveries.add(id);
    const ids = this.#endpoints.get(endpoint) ?? new Set();
    this.#endpoints.set(endpoint, ids.add(id));
  }

  begin(attempt: Promise<void>): void {
    this.#attempts.add(attempt);
    void attempt.finally(() => this.#attempts.delete(attempt));
  }

  /** It was not taken after all, or its call has ended; then the attempt goes on until that is on record. */
  remove({ id, endpoint }: StoredDelivery): void {
    this.#deliveries.delete(id);
    const ids = this.#endpoints.get(endpoint);
    ids?.delete(id);
    if (ids?.size === 0) this.#endpoints.delete(endpoint);
  }

  /** Places that are taken: of the endpoint, or of all. */
  count(endpoint?: string): number {
    return endpoint === undefined ? this.#deliveries.size : (this.#endpoints.get(endpoint)?.size ?? 0);
  }

  has(id: string): boolean {
    return this.#deliveries.has(id);
  }

  /** Resolves when the attempts that are being made now have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#attempts);
  }
}

/** Attempts that start without a look at what arrives: with hundreds in one go the ends of the first would be noticed when the last is sent. */
const startedTogether = 16;

interface Start {
  readonly id: string;
  readonly at: number;
  readonly resolve: (mayStart: boolean) => void;
}

/** Attempts whose requests are made and whose time has not come. Those of one moment start together, some of them after one look at the store. */
class Starts {
  readonly #ports: Pick<Needs, 'clock' | 'log' | 'store'>;
  readonly #host: string;
  readonly #alarm: Alarm;
  #starts: Start[] = [];
  #stopped = false;

  constructor(ports: Pick<Needs, 'clock' | 'log' | 'store'>, host: string) {
    this.#ports = ports;
    this.#host = host;
    this.#alarm = new Alarm(ports.clock, 'delivery', () => void this.#begin());
  }

  /** Resolves when the delivery may start, or false when it may not any more: it was cancelled or switched off meanwhile. */
  wait({ id, readyAt = 0 }: StoredDelivery): Promise<boolean> {
    return new Promise((resolve) => {
      this.#starts.push({ id, at: readyAt, resolve });
      if (this.#alarm.at === undefined || readyAt < this.#alarm.at) this.#alarm.set(readyAt);
    });
  }

  /** Nothing that waits starts any more. */
  stop(): void {
    this.#stopped = true;
    this.#alarm.clear();
    for (const { resolve } of this.#starts) resolve(false);
    this.#starts = [];
  }

  async #begin(): Promise<void> {
    const now = this.#ports.clock.now();
    const due = this.#starts.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
    this.#starts = this.#starts.filter(({ at }) => at > now);
    if (this.#starts.length > 0) this.#alarm.set(Math.min(...this.#starts.map(({ at }) => at)));
    for (let from = 0; from < due.length; from += startedTogether) {
      if (from > 0) await nextTurn();
      await this.#start(due.slice(from, from + startedTogether));
    }
  }

  async #start(due: readonly Start[]): Promise<void> {
    const owners = this.#stopped ? [] : await this.#ownersOf(due);
    for (const [index, { resolve }] of due.entries()) resolve(owners[index] === this.#host);
  }

  async #ownersOf(due: readonly Start[]): Promise<readonly (string | undefined)[]> {
    try {
      return await this.#ports.store.read((reading) => Promise.all(due.map(({ id }) => reading.leaseOwner(id))));
    } catch (error) {
      this.#ports.log.error({ err: error }, 'the store did not tell whose deliveries are due');
      return [];
    }
  }
}

/** How long calls that are on their way may take when the server closes, in real time. */
const patienceMs = 1000;

async function patiently(ended: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  const patience = systemClock.sleep(patienceMs, { signal: enough.signal }).catch(() => undefined);
  await Promise.race([ended, patience]);
  enough.abort();
}
