import type { Service } from '../service.ts';
import type { CallOutcome, Delivery, DeliveryPolicy, NextStep } from './delivery.ts';
import { outgoingOf } from './outgoing.ts';

/**
 * Calls an endpoint while a user waits: transient errors are tried again, `retries` times, whatever the endpoint says about retries.
 * The last outcome is returned. No read or change set may be open meanwhile. Source: extensions, Limits, retries row 2
 */
export async function callWithRetries(service: Service, delivery: Delivery, retries: number): Promise<CallOutcome> {
  const { behaviours, clock } = service;
  const { activity, closing } = outgoingOf(service);
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await behaviours.attempt(service, delivery, attempt);
    const again = behaviours.isTransient(outcome) && attempt <= retries;
    const step: NextStep = again
      ? { kind: 'retry', attempts: attempt, retry: attempt, delayMs: behaviours.nextRetryDelay(attempt) }
      : { kind: behaviours.isDelivered(delivery.kind, outcome) ? 'delivered' : 'failed' };
    await activity.work(() => logAttempt(service, delivery, retries, outcome, step));
    if (step.kind !== 'retry') return outcome;
    await clock.sleep(step.delayMs, { tag: 'retry', signal: closing });
  }
}

async function logAttempt(
  service: Service,
  delivery: Delivery,
  retries: number,
  outcome: CallOutcome,
  step: NextStep,
): Promise<void> {
  const { behaviours, store } = service;
  await store.change(async (writing) => {
    const found = await behaviours.policyOf(service, writing, delivery);
    const policy: DeliveryPolicy | undefined = found && { ...found, retries };
    for (const entry of behaviours.logEntriesFor(service, delivery, policy, outcome, step))
      if (entry.kind !== 'removed') await behaviours.logEntry(service, writing, entry);
  });
}
