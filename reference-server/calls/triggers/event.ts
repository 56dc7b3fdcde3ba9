import { randomUUID } from 'node:crypto';
import { mediaTypes } from '../../../contract/names.ts';
import { Refusal } from '../../problem.ts';
import type { Answer, Service, SpaceCall } from '../../service.ts';
import type { Content, Reading, Writing } from '../../store/store.ts';
import { addresseeOf, namedIn, optionalTextOf, triggerBody } from './addressee.ts';
import type { Errand } from './dispatch.ts';

/** Where events are. Source: ledger trigger-event-binding, trigger-endpoint-binding, event-delete-route */
export const eventsPath = '/api/space/{spaceId}/externalEvent';

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
const documentKind = 'externalEvent';

/** POST of an event: accepted when it is in the queue. Source: extensions, Events */
export async function createEvent(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const { behaviours } = service;
  behaviours.requireMediaType(service, call, [mediaTypes.json]);
  const body = triggerBody(behaviours.jsonBodyOf(service, call));
  const errand = await behaviours.eventErrand(service, call, writing, randomUUID(), body);
  const queued = await behaviours.enqueue(service, writing, behaviours.deliveryOf(service, call, errand));
  const event = eventOf(call, errand, queued);
  await keepEvent(writing, event);
  return {
    status: 201,
    headers: { Location: `/api/space/${encodeURIComponent(call.space.id)}/externalEvent/${event.id}` },
    body: event,
  };
}

/** What an event sends, and where to. @throws {Refusal} 422 for a callee that does not exist, or a content that it cannot take */
export async function eventErrand(
  service: Service,
  call: SpaceCall,
  reading: Reading,
  id: string,
  body: Content,
): Promise<Errand> {
  const endpointId = optionalTextOf(body, 'endpointId');
  if (endpointId !== undefined) return endpointErrand(service, reading, id, endpointId, body);
  if (body['recordId'] === undefined)
    throw new Refusal(422, 'Expected a recordId or an endpointId, found neither.', { pointer: '/recordId' });
  const { registrationId, recordId } = await addresseeOf(service, reading, 'ExternalEvent', namedIn(body));
  const payload = service.behaviours.eventPayload(call, id, objectOf(body['contentPayload'] ?? {}));
  return { id, kind: 'event', registrationId, recordId, payload };
}

async function endpointErrand(
  service: Service,
  reading: Reading,
  id: string,
  endpointId: string,
  body: Content,
): Promise<Errand> {
  const callee = await service.behaviours.calleeOf(service, reading, { registrationId: endpointId });
  if (callee === undefined || !('endpoint' in callee))
    throw new Refusal(422, `No endpoint ${endpointId} is registered.`, { pointer: '/endpointId' });
  return { id, kind: 'endpoint', registrationId: endpointId, payload: body['contentPayload'] };
}

/** Source: extensions, Payloads by extension type, row ExternalEvent */
export function eventPayload(call: SpaceCall, id: string, contentPayload: Content): object {
  return { contentPayload, id, spaceId: call.space.id };
}

function objectOf(value: unknown): Content {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Content;
  throw new Refusal(422, 'Expected contentPayload to be an object: extensions take nothing else.', {
    pointer: '/contentPayload',
  });
}

function eventOf(call: SpaceCall, { id, kind, registrationId, recordId }: Errand, queued: boolean): EventResource {
  const to = kind === 'endpoint' ? { endpointId: registrationId } : { recordId: recordId ?? '' };
  return { id, spaceId: call.space.id, ...to, state: queued ? 'queued' : 'dropped', createdBy: call.user.name };
}

export async function readEvent(service: Service, call: SpaceCall, reading: Reading): Promise<Answer> {
  return service.behaviours.conditional(service, call, { status: 200, body: await locateEvent(call, reading) });
}

/** Takes the event back: no attempt begins any more. Source: extensions, Events 3; ledger deleted-event-in-flight */
export async function deleteEvent(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const { id } = await locateEvent(call, writing);
  await service.behaviours.cancelDelivery(service, writing, id);
  await writing.deleteDocument(documentKind, id);
  return { status: 204 };
}

/** @throws {Refusal} 404, also for an event of another space */
async function locateEvent({ params, space }: SpaceCall, reading: Reading): Promise<EventResource> {
  const { eventId = '' } = params;
  const event = await eventWith(reading, eventId);
  if (event?.spaceId === space.id) return event;
  throw new Refusal(404, `There is no event ${eventId} in the space ${space.id}.`, { pointer: 'eventId' });
}

/** Decoder of what `keepEvent` wrote. */
async function eventWith(reading: Reading, id: string): Promise<EventResource | undefined> {
  const text = await reading.document(documentKind, id);
  return text === undefined ? undefined : (JSON.parse(text) as EventResource);
}

async function keepEvent(writing: Writing, event: EventResource): Promise<void> {
  await writing.putDocument(documentKind, event.id, JSON.stringify(event));
}

/** Notes on the event, where there still is one, how its delivery ended. */
export async function noteEventEnd(writing: Writing, id: string, state: EventResource['state']): Promise<void> {
  const event = await eventWith(writing, id);
  if (event !== undefined) await keepEvent(writing, { ...event, state });
}
