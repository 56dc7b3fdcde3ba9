import { Area } from '../area.ts';
import type { Agent } from 'undici';
import type { Clock } from '../../clock/clock.ts';
import type { CallOutcome, Delivery, DeliveryLogEntry, NextStep, OutgoingRequest } from '../ports/deliveries.ts';
import { Exchange, type Outgoing } from '../ports/outgoing.ts';
import type { Store, Writing } from '../ports/store.ts';
import type { Callee, Callees } from './callees.ts';
import type { Deliveries } from './deliveries.ts';
import type { DeliveryLog } from './delivery-log.ts';
import type { DeliveryPolicies } from './delivery-policies.ts';
import type { Requests } from './requests.ts';

/** Why the timer of a call that has ended is called off. */
const over = new Error('The call is over.');

interface Needs {
  readonly clock: Clock;
  readonly outgoing: Outgoing;
  readonly store: Store;
  readonly callees: Callees;
  readonly deliveries: Deliveries;
  readonly deliveryLog: DeliveryLog;
  readonly policies: DeliveryPolicies;
  readonly requests: Requests;
}

/** One request to another host. */
export class OutgoingCalls extends Area<Needs> {
  /**
   * One request to another host. Its time runs from the start to the last byte of the answer. Source: ledger request-timeout-scope.
   * @throws {Error} the server closes
   */
  async call(request: OutgoingRequest): Promise<CallOutcome> {
    const outgoing = this.needs.outgoing;
    if (!outgoing.mayCall(request.url))
      return { kind: 'failed', reason: `this server may not call ${new URL(request.url).host}`, barred: true };
    const agent = outgoing.openAgent ?? (await outgoing.activity.work(() => outgoing.agent()));
    outgoing.closing.throwIfAborted();
    return outgoing.activity.call(() => this.callInTime(outgoing, agent, request));
  }

  private async callInTime(outgoing: Outgoing, agent: Agent, request: OutgoingRequest): Promise<CallOutcome> {
    const exchange = new Exchange();
    const timer = new AbortController();
    void this.expireInTime(exchange, request.timeoutMs, timer.signal);
    outgoing.enter(exchange);
    try {
      send(agent, request, exchange);
      return await exchange.outcome;
    } finally {
      outgoing.leave(exchange);
      timer.abort(over);
    }
  }

  private async expireInTime(exchange: Exchange, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.needs;
    const startedAt = clock.now();
    try {
      await clock.sleep(timeoutMs, { signal, tag: 'timeout' });
    } catch {
      return;
    }
    exchange.expire(clock.now() - startedAt);
  }

  /** The request of one attempt, made for it. @param count that of the attempt, from 1 */
  preparedRequest(delivery: Delivery, callee: Callee, count: number): Promise<OutgoingRequest> {
    return this.needs.outgoing.activity.work(() => this.needs.requests.requestFor(delivery, callee, count));
  }

  /**
   * One attempt, request and all, made at once.
   * @param callee undefined where the registration is gone @param count that of the attempt, from 1 @throws {Error} the server closes
   */
  async attempt(delivery: Delivery, callee: Callee | undefined, count: number): Promise<CallOutcome> {
    if (callee === undefined) return { kind: 'failed', reason: 'its registration is gone', gone: true };
    return this.call(await this.preparedRequest(delivery, callee, count));
  }

  /**
   * Calls an endpoint while a user waits: transient errors are tried again, `retries` times, whatever the endpoint says about retries.
   * The last outcome is returned. No read or change set may be open meanwhile. Source: extensions, Limits, retries row 2
   */
  async callWithRetries(delivery: Delivery, retries: number): Promise<CallOutcome> {
    const { clock, store } = this.needs;
    const { activity, closing } = this.needs.outgoing;
    for (let attempt = 1; ; attempt += 1) {
      const callee = await activity.work(() => store.read((reading) => this.needs.callees.calleeOf(reading, delivery)));
      const outcome = await this.attempt(delivery, callee, attempt);
      const again = this.needs.policies.isTransient(outcome) && attempt <= retries;
      const step: NextStep = again
        ? { kind: 'retry', attempts: attempt, retry: attempt, delayMs: this.needs.policies.nextRetryDelay(attempt) }
        : { kind: this.needs.policies.isDelivered(delivery.kind, outcome) ? 'delivered' : 'failed' };
      const policy = callee && { ...this.needs.policies.policyOf(callee, delivery), retries };
      const entries = this.needs.deliveries.logEntriesFor(delivery, policy, outcome, step);
      await activity.work(() => store.change((writing) => this.logEntries(writing, entries)));
      if (step.kind !== 'retry') return outcome;
      await clock.sleep(step.delayMs, { tag: 'retry', signal: closing });
    }
  }

  /** Such a call was never in the queue. */
  private async logEntries(writing: Writing, entries: readonly DeliveryLogEntry[]): Promise<void> {
    for (const entry of entries) if (entry.kind !== 'removed') await this.needs.deliveryLog.logEntry(writing, entry);
  }
}

function send(agent: Agent, { method, url, headers, body }: OutgoingRequest, exchange: Exchange): void {
  try {
    const { origin, pathname, search } = new URL(url);
    agent.dispatch({ origin, path: pathname + search, method, headers, body: body ?? null }, exchange);
  } catch (error) {
    exchange.fail(error);
  }
}
