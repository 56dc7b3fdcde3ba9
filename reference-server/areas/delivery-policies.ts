import {
  deliveryRetries,
  longestRetryDelaySeconds,
  ratePauseSeconds,
  rateWindowSeconds,
} from '../../contract/limits.ts';
import type {
  CallKind,
  CallOutcome,
  Delivery,
  DeliveryPolicy,
  NextStep,
  QueuedDelivery,
  RateWindow,
} from '../ports/deliveries.ts';
import type { Callee } from './callees.ts';

type RateDecision =
  | { readonly kind: 'run'; readonly window: RateWindow }
  /** `starts` tells the first excess from those that follow it. */
  | { readonly kind: 'hold'; readonly window: RateWindow; readonly until: number; readonly starts: boolean };

/** Calls that one endpoint gets at once. Source: ledger queue-order */
const parallelCalls = 4;

/** How long a host that died keeps others from what it had taken. */
const leaseMs = 6000;

/** Two renewals may be late before the lease is lost. */
export const leaseRenewalMs = leaseMs / 3;

/** When a delivery goes out, and when again. */
export class DeliveryPolicies {
  /** How the delivery to the callee is to be handled. Source: extensions, Limits */
  policyOf(callee: Callee, _delivery: Delivery): DeliveryPolicy {
    return {
      endpoint: callee.name,
      active: callee.active,
      retries: callee.retryForever ? Infinity : deliveryRetries,
      rateLimit: callee.rateLimitNumberOfExecutions,
      rateKey: callee.rateKey,
    };
  }

  /** What order and parallel calls are counted by. Source: ledger queue-order */
  endpointKeyOf({ registrationId, recordId }: Delivery): string {
    return recordId === undefined ? registrationId : `${registrationId} ${recordId}`;
  }

  /** What follows from the outcome of the attempt that was just made. Source: extensions, Errors 1 and 2; Events 2 and 3 */
  nextStepOf(delivery: QueuedDelivery, { retries }: DeliveryPolicy, outcome: CallOutcome): NextStep {
    if (this.isDelivered(delivery.kind, outcome)) return { kind: 'delivered' };
    const retry = delivery.attempts + 1;
    if (!this.isTransient(outcome) || retry > retries) return { kind: 'failed' };
    return { kind: 'retry', attempts: retry, retry, delayMs: this.nextRetryDelay(retry) };
  }

  /** Source: extensions, Events 2; Calls to extensions; ledger success-other-2xx, task-and-validation-success */
  isDelivered(kind: CallKind, outcome: CallOutcome): boolean {
    if (outcome.kind !== 'answered') return false;
    const direct = kind === 'validation' || kind === 'action';
    return outcome.status === 200 || (outcome.status === 201 && !direct);
  }

  /** Source: extensions, Errors 1; ledger timeout-is-transient, retry-429, redirect-handling */
  isTransient(outcome: CallOutcome): boolean {
    if (outcome.kind === 'failed' && (outcome.gone === true || outcome.barred === true)) return false;
    if (outcome.kind !== 'answered') return true;
    return outcome.status === 408 || (outcome.status >= 500 && outcome.status <= 599);
  }

  /**
   * Delay before retry `attempt` (1-based), in ms from the end of the failed attempt: 2, 4, 8, 16, 32 s and on, at most 300 s.
   * Source: extensions, Limits, retries; Errors 2; ledger retry-gap-clock, backoff-cap-sequence. @throws {RangeError} attempt < 1
   */
  nextRetryDelay(attempt: number): number {
    if (!(attempt >= 1)) throw new RangeError(`Retries count from 1, found ${attempt}.`);
    return Math.min(2 ** attempt, longestRetryDelaySeconds) * 1000;
  }

  /**
   * Whether an execution may start now, and what is remembered of it: a fixed window from its first execution; the first excess starts the pause.
   * Source: extensions, Limits, rate limit; ledger rate-pause-start
   * @param limit executions a window
   */
  rateDecision(window: RateWindow | undefined, now: number, limit: number): RateDecision {
    if (window !== undefined && now < window.pausedUntil)
      return { kind: 'hold', window, until: window.pausedUntil, starts: false };
    if (window === undefined || now >= window.startedAt + rateWindowSeconds * 1000)
      return { kind: 'run', window: { startedAt: now, executions: 1, pausedUntil: 0 } };
    if (window.executions < limit) return { kind: 'run', window: { ...window, executions: window.executions + 1 } };
    const until = now + ratePauseSeconds * 1000;
    return { kind: 'hold', window: { ...window, pausedUntil: until }, until, starts: true };
  }

  /** Calls that may start now beside those that are on their way: to the endpoint, and to all. */
  freePlaces(onTheWay: { readonly toEndpoint: number; readonly toAll: number }): number {
    return Math.max(0, parallelCalls - onTheWay.toEndpoint);
  }
}

/** End of a lease that is taken or renewed now. */
export function leaseFor(now: number): number {
  return now + leaseMs;
}
