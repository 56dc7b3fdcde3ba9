import type { Service } from '../service.ts';
import type { StoredDelivery } from '../store/queue.ts';
import type { Writing } from '../store/store.ts';
import { entryOf } from './delivery-log.ts';
import type { CallOutcome, Delivery, DeliveryLogEntry, DeliveryPolicy, FinishedAttempt, NextStep } from './delivery.ts';

/**
 * Puts the outcome of an attempt on record, in one change set with what follows from it.
 *
 * The window that cannot be closed: between the last byte of an acknowledgement and the end of this change set a host that dies leaves a
 * delivery which the endpoint has and the queue still holds. It is sent again when the lease has run out, under the same envelope id, so that
 * the endpoint can tell. To forget it instead would lose deliveries that were never acknowledged: the two cannot be told apart from here. The
 * window is one commit long: nothing else is done between an answer and its record.
 */
export async function recordOutcome(service: Service, writing: Writing, attempt: FinishedAttempt): Promise<void> {
  const { behaviours } = service;
  const delivery = await writing.delivery(attempt.delivery.id);
  if (delivery === undefined || !behaviours.isOurs(delivery, attempt.host)) return;
  const { outcome, endedAt } = attempt;
  const policy = await behaviours.policyOf(service, writing, delivery);
  const step = stepAfter(service, delivery, policy, outcome);
  if (step.kind === 'retry') await writing.scheduleDelivery(delivery.id, step.attempts, endedAt + step.delayMs);
  else await behaviours.removeDelivery(service, writing, delivery, step.kind, outcome);
  const entries = behaviours.logEntriesFor(service, delivery, policy, outcome, step);
  for (const entry of entries) await behaviours.logEntry(service, writing, entry);
}

/** Whether the outcome counts: a delivery that another host has taken over is its business. Source: ledger deleted-event-in-flight */
export function isOurs(delivery: StoredDelivery, host: string): boolean {
  return delivery.leaseOwner === host;
}

/** Without a registration there is nobody to try again with. */
function stepAfter(
  service: Service,
  delivery: StoredDelivery,
  policy: DeliveryPolicy | undefined,
  outcome: CallOutcome,
): NextStep {
  if (policy !== undefined) return service.behaviours.nextStepOf(service, delivery, policy, outcome);
  return { kind: service.behaviours.isDelivered(delivery.kind, outcome) ? 'delivered' : 'failed' };
}

/** What an attempt leaves in the log. Source: extensions, Errors 1 and 3; Events 3 */
export function logEntriesFor(
  service: Service,
  delivery: Delivery,
  policy: DeliveryPolicy | undefined,
  outcome: CallOutcome,
  step: NextStep,
): readonly DeliveryLogEntry[] {
  const entry = (kind: DeliveryLogEntry['kind'], message: string): DeliveryLogEntry => ({
    ...entryOf(service, delivery, policy, kind, message),
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
