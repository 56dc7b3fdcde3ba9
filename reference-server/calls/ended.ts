import type { CallOutcome, Delivery, DeliveryEnd } from '../delivery/delivery.ts';
import type { Service } from '../service.ts';
import type { Writing } from '../store/store.ts';
import { noteTaskLost, noteTaskStart } from '../tasks/deadline.ts';
import { noteEventEnd } from './triggers/event.ts';

/** Inside the change set that takes a delivery out of the queue: whatever waits for it hears of it. Source: extensions, Events 2 and 3 */
export async function deliveryEnded(
  service: Service,
  writing: Writing,
  { id, kind, envelopeId }: Delivery,
  end: DeliveryEnd,
  _outcome?: CallOutcome,
): Promise<void> {
  if ((kind === 'event' || kind === 'endpoint') && end !== 'cancelled') return noteEventEnd(writing, id, end);
  if (kind !== 'task') return;
  return end === 'delivered' ? noteTaskStart(service, writing, envelopeId) : noteTaskLost(writing, envelopeId);
}
