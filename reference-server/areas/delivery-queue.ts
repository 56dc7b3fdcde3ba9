import { Area } from '../area.ts';
import type { Clock } from '../../clock/clock.ts';
import type { CallOutcome, Delivery, DeliveryEnd, DeliveryPolicy, StoredDelivery } from '../ports/deliveries.ts';
import type { Writing } from '../ports/store.ts';
import type { Callees } from './callees.ts';
import type { DeliveryEnds } from './delivery-ends.ts';
import type { DeliveryLog } from './delivery-log.ts';
import type { DeliveryPolicies } from './delivery-policies.ts';

interface Needs {
  readonly clock: Clock;
  readonly callees: Callees;
  readonly deliveryEnds: DeliveryEnds;
  readonly deliveryLog: DeliveryLog;
  readonly policies: DeliveryPolicies;
}

export class DeliveryQueue extends Area<Needs> {
  private wake: (endpoint: string) => void = () => undefined;

  /** Calls this with an endpoint, or `all`, inside the change set that makes a delivery ready there. */
  onReady(wake: (endpoint: string) => void): void {
    this.wake = wake;
  }

  /**
   * Queues a delivery as a part of the change set that accepts it: either both are kept or none. While its registration is inactive it is
   * dropped with a log entry. Source: extensions, Events; ledger inactive-queue. @returns whether it was queued
   */
  async enqueue(writing: Writing, delivery: Delivery): Promise<boolean> {
    const { clock } = this.needs;
    const policy = await this.policyOf(writing, delivery);
    const endpoint = this.needs.policies.endpointKeyOf(delivery);
    if (!admits(policy)) {
      const message =
        policy === undefined ? 'dropped: its registration is gone' : 'dropped: its registration is inactive';
      await this.needs.deliveryLog.logEntry(
        writing,
        this.needs.deliveryLog.entryOf(delivery, policy, 'dropped', message),
      );
      return false;
    }
    await writing.insertDelivery(delivery, endpoint, clock.now());
    this.wake(endpoint);
    return true;
  }

  /**
   * Takes a delivery out of the queue because a user deleted it. A call that is on its way ends by itself, its outcome is ignored.
   * Source: extensions, Events 3; ledger deleted-event-in-flight. @returns whether it was queued
   */
  async cancelDelivery(writing: Writing, id: string): Promise<boolean> {
    const delivery = await writing.delivery(id);
    if (delivery === undefined) return false;
    await this.removeDelivery(writing, delivery, 'cancelled');
    const policy = await this.policyOf(writing, delivery);
    await this.needs.deliveryLog.logEntry(
      writing,
      this.needs.deliveryLog.entryOf(delivery, policy, 'cancelled', 'cancelled by a user'),
    );
    return true;
  }

  /** Takes a delivery out of the queue for good; whatever waits for it hears of it. Source: extensions, Events 2 and 3 */
  async removeDelivery(
    writing: Writing,
    delivery: StoredDelivery,
    end: DeliveryEnd,
    outcome?: CallOutcome,
  ): Promise<void> {
    await writing.deleteDelivery(delivery.id);
    await this.needs.deliveryEnds.deliveryEnded(writing, delivery, end, outcome);
  }

  /** After a registration was changed or deleted: what waited for it to become active goes on. Source: ledger inactive-queue */
  async resumeDeliveries(writing: Writing, registrationId: string): Promise<void> {
    await writing.resumeRegistration(registrationId, this.needs.clock.now());
    this.wake('all');
  }

  private async policyOf(writing: Writing, delivery: Delivery): Promise<DeliveryPolicy | undefined> {
    const callee = await this.needs.callees.calleeOf(writing, delivery);
    return callee && this.needs.policies.policyOf(callee, delivery);
  }
}

/** Whether triggers are queued. */
function admits(policy: { readonly active: boolean } | undefined): boolean {
  return policy?.active ?? false;
}
