import { Area } from '../area.ts';
import type { Log } from '../http/call.ts';
import type { Clock } from '../../clock/clock.ts';
import type {
  CallOutcome,
  Delivery,
  DeliveryLogEntry,
  DeliveryPolicy,
  NextStep,
  StoredDelivery,
} from '../ports/deliveries.ts';
import type { Writing } from '../ports/store.ts';
import type { Callee, Callees } from './callees.ts';
import type { DeliveryLog } from './delivery-log.ts';
import { type DeliveryPolicies, leaseFor } from './delivery-policies.ts';
import type { DeliveryQueue } from './delivery-queue.ts';

/** A host that delivers, and what it does just now. */
export interface Host {
  readonly id: string;
  /** How long before it may start a delivery is taken, so that its request is made when its time has come. */
  readonly headStartMs: number;
  /** Time of its last look at all endpoints: what was ready then and was not taken had no free place, and is found when one gets free. */
  readonly lookedUntil: number;
  /** Calls of its own that are on their way: to the endpoint, or to all. */
  running(endpoint?: string): number;
  isRunning(deliveryId: string): boolean;
}

/** An attempt that may be made, with all that is to be known of where it goes: nobody looks that up again until it has ended. */
export interface Attempt {
  /** On lease for the host from now on. */
  readonly delivery: StoredDelivery;
  readonly callee: Callee;
}

interface FinishedAttempt extends Attempt {
  /** The host that made it. */
  readonly host: string;
  readonly outcome: CallOutcome;
  /** In ms of the clock. */
  readonly endedAt: number;
}

export interface Claim {
  readonly attempts: readonly Attempt[];
  readonly lookedUntil: number;
  /** When to look again at all, be it past already; undefined when nothing waits for time. */
  readonly nextReadyAt: number | undefined;
}

/** Deliveries of an endpoint that are looked at together. */
const mostPlaces = 16;

/** How long those of an endpoint wait of which nothing can be told. */
const unknownCalleeMs = 60_000;

interface Lease {
  readonly host: string;
  readonly endpoint: string;
  readonly now: number;
  readonly callee: Callee;
}

interface Needs {
  readonly clock: Clock;
  readonly log: Log;
  readonly callees: Callees;
  readonly deliveryLog: DeliveryLog;
  readonly policies: DeliveryPolicies;
  readonly queue: DeliveryQueue;
}

/** Claims of what is ready, and records of what became of it. */
export class Deliveries extends Area<Needs> {
  /** Takes what is ready and may start, in one change set: a delivery that is on lease was not begun by another host. */
  async claimReady(writing: Writing, host: Host, endpoints: ReadonlySet<string> | 'all'): Promise<Claim> {
    const now = this.needs.clock.now();
    const ahead = now + host.headStartMs;
    const looked = endpoints === 'all' ? await writing.readyEndpoints(ahead) : endpoints;
    const attempts: Attempt[] = [];
    for (const endpoint of looked) {
      const onTheWay = attempts.length;
      attempts.push(...(await this.claimOf(writing, host, endpoint, now, onTheWay)));
    }
    // time may have been set back
    const lookedUntil = endpoints === 'all' ? ahead : Math.min(host.lookedUntil, ahead);
    return { attempts, lookedUntil, nextReadyAt: await writing.nextReadyAt(host.id, lookedUntil) };
  }

  private async claimOf(
    writing: Writing,
    host: Host,
    endpoint: string,
    now: number,
    justTaken: number,
  ): Promise<readonly Attempt[]> {
    const running = host.running(endpoint);
    // a call of ours whose lease ran out while the process stood still is ready, too, and goes on
    const ready = await writing.readyDeliveries(endpoint, now + host.headStartMs, mostPlaces + running);
    const candidates = ready.filter(({ id }) => !host.isRunning(id));
    const [first] = candidates;
    if (first === undefined) return [];
    const places = this.needs.policies.freePlaces({
      toEndpoint: running + (await writing.leasedElsewhere(host.id, now, endpoint)),
      toAll: host.running() + justTaken,
    });
    if (places === 0) return [];
    const callee = await this.calleeIfTold(writing, first);
    if (callee === 'not told') {
      await writing.holdEndpoint(endpoint, now + host.headStartMs, now + unknownCalleeMs);
      return [];
    }
    if (callee === undefined) return this.removeAll(writing, candidates);
    if (!callee.active) return parkAll(writing, candidates);
    return this.leaseAllowed(writing, { host: host.id, endpoint, now, callee }, candidates.slice(0, places));
  }

  /** What is wrong with one endpoint must not keep the others waiting, whose deliveries are claimed with it. */
  private async calleeIfTold(writing: Writing, delivery: StoredDelivery): Promise<Callee | 'not told' | undefined> {
    try {
      return await this.needs.callees.calleeOf(writing, delivery);
    } catch (error) {
      const fields = { err: error, endpoint: delivery.endpoint };
      this.needs.log.error(
        fields,
        `where an endpoint is cannot be told; its deliveries wait for ${unknownCalleeMs / 1000} s`,
      );
      return 'not told';
    }
  }

  private async removeAll(writing: Writing, deliveries: readonly StoredDelivery[]): Promise<readonly []> {
    for (const delivery of deliveries) {
      await this.needs.queue.removeDelivery(writing, delivery, 'failed');
      const entry = this.needs.deliveryLog.entryOf(
        delivery,
        undefined,
        'removed',
        'removed from the queue: its registration is gone',
      );
      await this.needs.deliveryLog.logEntry(writing, entry);
    }
    return [];
  }

  /** Each attempt counts against the limit, retries included. Source: ledger rate-retries-counted */
  private async leaseAllowed(
    writing: Writing,
    { host, endpoint, now, callee }: Lease,
    candidates: readonly StoredDelivery[],
  ): Promise<readonly Attempt[]> {
    const taken: Attempt[] = [];
    for (const delivery of candidates) {
      const policy = this.needs.policies.policyOf(callee, delivery);
      const startsAt = Math.max(delivery.readyAt ?? now, now);
      const decision = this.needs.policies.rateDecision(
        await writing.rateWindow(policy.rateKey),
        startsAt,
        policy.rateLimit,
      );
      await writing.putRateWindow(policy.rateKey, decision.window);
      if (decision.kind === 'hold') {
        if (decision.starts) await this.logPause(writing, delivery, policy, decision.until - startsAt);
        await this.holdBack(writing, delivery, decision.until);
        await writing.holdEndpoint(endpoint, startsAt, decision.until);
        return taken;
      }
      await writing.leaseDelivery(delivery.id, host, leaseFor(now));
      taken.push({ delivery, callee });
    }
    return taken;
  }

  private async logPause(
    writing: Writing,
    delivery: StoredDelivery,
    policy: DeliveryPolicy,
    waitMs: number,
  ): Promise<void> {
    const message = `rate limit of ${policy.rateLimit} executions a minute exceeded, all requests pause for ${waitMs / 1000} s`;
    const entry = { ...this.needs.deliveryLog.entryOf(delivery, policy, 'rate-limit', message), waitMs };
    await this.needs.deliveryLog.logEntry(writing, entry);
  }

  /** What becomes of a delivery that meets a full window: it stays, in its place, and goes out later. Source: extensions, Limits, rate limit */
  async holdBack(writing: Writing, delivery: StoredDelivery, until: number): Promise<void> {
    await writing.holdDelivery(delivery.id, until);
  }

  /**
   * Puts the outcome of an attempt on record, in one change set with what follows from it.
   *
   * The window that cannot be closed: between the last byte of an acknowledgement and the end of this change set a host that dies leaves a
   * delivery which the endpoint has and the queue still holds. It is sent again when the lease has run out, under the same envelope id, so that
   * the endpoint can tell. To forget it instead would lose deliveries that were never acknowledged: the two cannot be told apart from here. The
   * window is one commit long: nothing else is done between an answer and its record.
   */
  async recordOutcome(writing: Writing, attempt: FinishedAttempt): Promise<void> {
    const delivery = await writing.delivery(attempt.delivery.id);
    if (delivery === undefined || !isOurs(delivery, attempt.host)) return;
    const { callee, outcome, endedAt } = attempt;
    const policy = this.needs.policies.policyOf(callee, delivery);
    const step = this.needs.policies.nextStepOf(delivery, policy, outcome);
    if (step.kind === 'retry') await writing.scheduleDelivery(delivery.id, step.attempts, endedAt + step.delayMs);
    else await this.needs.queue.removeDelivery(writing, delivery, step.kind, outcome);
    const entries = this.logEntriesFor(delivery, policy, outcome, step);
    for (const entry of entries) await this.needs.deliveryLog.logEntry(writing, entry);
  }

  /** What an attempt leaves in the log. Source: extensions, Errors 1 and 3; Events 3 */
  logEntriesFor(
    delivery: Delivery,
    policy: DeliveryPolicy | undefined,
    outcome: CallOutcome,
    step: NextStep,
  ): readonly DeliveryLogEntry[] {
    const entry = (kind: DeliveryLogEntry['kind'], message: string): DeliveryLogEntry => ({
      ...this.needs.deliveryLog.entryOf(delivery, policy, kind, message),
      ...(outcome.kind === 'answered' && { status: outcome.status }),
    });
    if (step.kind === 'delivered') return [entry('delivered', `delivered: ${textOf(outcome)}`)];
    const timeout =
      outcome.kind === 'timeout' ? [{ ...entry('timeout', textOf(outcome)), waitMs: outcome.waitedMs }] : [];
    if (step.kind === 'retry') return [...timeout, retryEntry(entry, policy, outcome, step)];
    return [
      ...timeout,
      entry('failed', `failed: ${textOf(outcome)}`),
      entry('removed', 'removed from the queue after its last attempt'),
    ];
  }
}

async function parkAll(writing: Writing, deliveries: readonly StoredDelivery[]): Promise<readonly []> {
  for (const { id } of deliveries) await writing.parkDelivery(id);
  return [];
}

/** Whether the outcome counts: a delivery that another host has taken over is its business. Source: ledger deleted-event-in-flight */
function isOurs(delivery: StoredDelivery, host: string): boolean {
  return delivery.leaseOwner === host;
}

function retryEntry(
  entry: (kind: 'transient-error', message: string) => DeliveryLogEntry,
  policy: DeliveryPolicy | undefined,
  outcome: CallOutcome,
  { retry, delayMs }: Extract<NextStep, { readonly kind: 'retry' }>,
): DeliveryLogEntry {
  const total = policy?.retries ?? 0;
  const place = Number.isFinite(total) ? `${retry} of ${total}` : `${retry} of infinity`;
  const message = `transient error, ${textOf(outcome)}; retry ${place} in ${delayMs / 1000} s`;
  return {
    ...entry('transient-error', message),
    waitMs: delayMs,
    retry,
    ...(Number.isFinite(total) && { total }),
  };
}

function textOf(outcome: CallOutcome): string {
  if (outcome.kind === 'answered') return `status ${outcome.status}`;
  if (outcome.kind === 'failed') return outcome.reason;
  const missed = outcome.phase === 'connection' ? 'no connection' : 'no complete answer';
  return `${missed} within ${outcome.waitedMs / 1000} s`;
}
