import { Area } from '../area.ts';
import type { CallOutcome, Delivery, DeliveryEnd } from '../ports/deliveries.ts';
import type { Reading, Writing } from '../ports/store.ts';
import { type Jobs, noteTaskLost } from './jobs.ts';

/** An event as it is read. */
export interface EventResource {
  readonly id: string;
  readonly spaceId: string;
  readonly recordId?: string;
  readonly endpointId?: string;
  /** `dropped` where the target was switched off at the time. */
  readonly state: 'queued' | 'dropped' | 'delivered' | 'failed';
  readonly createdBy: string;
}

/** Kind of document under which events stand in the store, by id. */
export const eventKind = 'externalEvent';

interface Needs {
  readonly jobs: Jobs;
}

/** Tells whatever waits for a delivery that it left the queue. */
export class DeliveryEnds extends Area<Needs> {
  /** Inside the change set that takes a delivery out of the queue: whatever waits for it hears of it. Source: extensions, Events 2 and 3 */
  async deliveryEnded(
    writing: Writing,
    { id, kind, envelopeId }: Delivery,
    end: DeliveryEnd,
    _outcome?: CallOutcome,
  ): Promise<void> {
    if ((kind === 'event' || kind === 'endpoint') && end !== 'cancelled') return noteEventEnd(writing, id, end);
    if (kind !== 'task') return;
    return end === 'delivered' ? this.needs.jobs.noteTaskStart(writing, envelopeId) : noteTaskLost(writing, envelopeId);
  }
}

/** Decoder of what `keepEvent` wrote. */
export async function eventWith(reading: Reading, id: string): Promise<EventResource | undefined> {
  const text = await reading.document(eventKind, id);
  return text === undefined ? undefined : (JSON.parse(text) as EventResource);
}

export async function keepEvent(writing: Writing, event: EventResource): Promise<void> {
  await writing.putDocument(eventKind, event.id, JSON.stringify(event));
}

/** Notes on the event, where there still is one, how its delivery ended. */
async function noteEventEnd(writing: Writing, id: string, state: EventResource['state']): Promise<void> {
  const event = await eventWith(writing, id);
  if (event !== undefined) await keepEvent(writing, { ...event, state });
}
