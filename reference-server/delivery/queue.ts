import type { Service } from '../service.ts';
import type { StoredDelivery } from '../store/queue.ts';
import type { Writing } from '../store/store.ts';
import type { CallOutcome, Delivery, DeliveryEnd } from './delivery.ts';
import { dispatcherOf } from './dispatcher.ts';
import { entryOf } from './delivery-log.ts';

/**
 * Queues a delivery as a part of the change set that accepts it: either both are kept or none. While its registration is inactive it is
 * dropped with a log entry. Source: extensions, Events; ledger inactive-queue. @returns whether it was queued
 */
export async function enqueue(service: Service, writing: Writing, delivery: Delivery): Promise<boolean> {
  const { behaviours, clock } = service;
  const policy = await behaviours.policyOf(service, writing, delivery);
  const endpoint = behaviours.endpointKeyOf(delivery);
  if (!behaviours.admits(policy)) {
    const message =
      policy === undefined ? 'dropped: its registration is gone' : 'dropped: its registration is inactive';
    await behaviours.logEntry(service, writing, entryOf(service, delivery, policy, 'dropped', message));
    return false;
  }
  await writing.insertDelivery(delivery, endpoint, clock.now());
  dispatcherOf(service).wake(endpoint);
  return true;
}

/** Whether triggers are queued. */
export function admits(policy: { readonly active: boolean } | undefined): boolean {
  return policy?.active ?? false;
}

/**
 * Takes a delivery out of the queue because a user deleted it. A call that is on its way ends by itself, its outcome is ignored.
 * Source: extensions, Events 3; ledger deleted-event-in-flight. @returns whether it was queued
 */
export async function cancelDelivery(service: Service, writing: Writing, id: string): Promise<boolean> {
  const { behaviours } = service;
  const delivery = await writing.delivery(id);
  if (delivery === undefined) return false;
  await behaviours.removeDelivery(service, writing, delivery, 'cancelled');
  const policy = await behaviours.policyOf(service, writing, delivery);
  await behaviours.logEntry(service, writing, entryOf(service, delivery, policy, 'cancelled', 'cancelled by a user'));
  return true;
}

/** Takes a delivery out of the queue for good; whatever waits for it hears of it. Source: extensions, Events 2 and 3 */
export async function removeDelivery(
  service: Service,
  writing: Writing,
  delivery: StoredDelivery,
  end: DeliveryEnd,
  outcome?: CallOutcome,
): Promise<void> {
  await writing.deleteDelivery(delivery.id);
  await service.behaviours.deliveryEnded(service, writing, delivery, end, outcome);
}

/** After a registration was changed or deleted: what waited for it to become active goes on. Source: ledger inactive-queue */
export async function resumeDeliveries(service: Service, writing: Writing, registrationId: string): Promise<void> {
  await writing.resumeRegistration(registrationId, service.clock.now());
  dispatcherOf(service).wake('all');
}
