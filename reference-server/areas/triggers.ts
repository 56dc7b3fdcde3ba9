import { Area } from '../area.ts';
import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { defaultTaskTimeoutSeconds } from '../../contract/limits.ts';
import { mediaTypes } from '../../contract/names.ts';
import type { Configuration } from '../configuration.ts';
import type { Answer, SpaceCall } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import { type FoundContent, type Route, callingRoute, readingRoute, writingRoute } from '../http/route.ts';
import type { CallOutcome, Delivery } from '../ports/deliveries.ts';
import type { Content, Reading, Store, StoredObject, Writing } from '../ports/store.ts';
import type { Caching } from './caching.ts';
import type { Callees } from './callees.ts';
import { type EventResource, eventKind, eventWith, keepEvent } from './delivery-ends.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import {
  type TriggeredCall,
  type TriggeredCalls,
  namedIn,
  optionalTextOf,
  textOf,
  triggerBody,
} from './triggered-calls.ts';
import { type Job, jobOut, jobsPath, keepJob } from './jobs.ts';
import type { OutgoingCalls } from './outgoing-calls.ts';
import { type MetadataRecord, capabilitiesOf } from './records.ts';
import type { TaskPayload } from './requests.ts';

/** Where events are. Source: ledger trigger-event-binding, trigger-endpoint-binding, event-delete-route */
const eventsPath = '/api/space/{spaceId}/externalEvent';

/** Where mail is sent. Source: ledger trigger-email-binding */
const emailPath = '/api/space/{spaceId}/externalEmail';

/** Who sends, where the configuration does not say. */
const defaultSender = 'no-reply@localhost';

/** A time limit that is longer is a slip of the pen. */
const longestTaskTimeoutSeconds = 1_000_000_000;

const jobSettings = { timeZone: 'UTC', language: 'en', culture: 'en-GB', effectivityMode: 'Current' } as const;

/** Where actions are run. Source: ledger trigger-action-binding */
const actionPath = '/api/space/{spaceId}/externalAction/{recordId}';

const types: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.txt': 'text/plain',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

/** Source: extensions, Payloads by extension type */
const triggerNeeds = { mediaTypes: [mediaTypes.json], json: triggerBody };

type ActionCall = SpaceCall & FoundContent<{ readonly recordId: string }, Content>;

interface Needs {
  readonly configuration: Configuration;
  readonly store: Store;
  readonly caching: Caching;
  readonly callees: Callees;
  readonly triggeredCalls: TriggeredCalls;
  readonly outgoingCalls: OutgoingCalls;
  readonly queue: DeliveryQueue;
}

/** What makes the service call an extension. */
export class Triggers extends Area<Needs> {
  routes(): readonly Route[] {
    return [
      writingRoute({
        method: 'POST',
        path: eventsPath,
        access: 'space',
        effect: 'write',
        needs: triggerNeeds,
        handle: (call, writing) => this.createEvent(call, writing),
      }),
      readingRoute({
        method: 'GET',
        path: `${eventsPath}/{eventId}`,
        access: 'space',
        effect: 'read',
        needs: { place: locateEvent },
        handle: (call) => this.readEvent(call),
      }),
      writingRoute({
        method: 'DELETE',
        path: `${eventsPath}/{eventId}`,
        access: 'space',
        effect: 'write',
        needs: { place: locateEvent },
        handle: (call, writing) => this.deleteEvent(call, writing),
      }),
      writingRoute({
        method: 'POST',
        path: emailPath,
        access: 'space',
        effect: 'write',
        needs: triggerNeeds,
        handle: (call, writing) => this.sendEmail(call, writing),
      }),
      writingRoute({
        method: 'POST',
        path: jobsPath,
        access: 'space',
        effect: 'write',
        needs: triggerNeeds,
        handle: (call, writing) => this.scheduleTask(call, writing),
      }),
      callingRoute({
        method: 'POST',
        path: actionPath,
        access: 'space',
        effect: 'outside',
        needs: { ...triggerNeeds, place: (call, reading) => this.locateAction(call, reading) },
        handle: (call) => this.runAction(call),
      }),
    ];
  }

  /** POST of an event: accepted when it is in the queue. Source: extensions, Events */
  private async createEvent(call: SpaceCall & { readonly json: Content }, writing: Writing): Promise<Answer> {
    const { json: body } = call;
    const triggered = await this.eventCall(call, writing, randomUUID(), body);
    const queued = await this.needs.queue.enqueue(writing, this.needs.triggeredCalls.deliveryOf(call, triggered));
    const event = eventOf(call, triggered, queued);
    await keepEvent(writing, event);
    return {
      status: 201,
      headers: { Location: `/api/space/${encodeURIComponent(call.space.id)}/externalEvent/${event.id}` },
      body: event,
    };
  }

  /** What an event sends, and where to. @throws {Refusal} 422 for a callee that does not exist, or a content that it cannot take */
  private async eventCall(call: SpaceCall, reading: Reading, id: string, body: Content): Promise<TriggeredCall> {
    const endpointId = optionalTextOf(body, 'endpointId');
    if (endpointId !== undefined) return this.endpointCall(reading, id, endpointId, body);
    if (body['recordId'] === undefined)
      throw new Refusal(422, 'Expected a recordId or an endpointId, found neither.', { pointer: '/recordId' });
    const { registrationId, recordId } = await this.needs.triggeredCalls.addresseeOf(
      reading,
      'ExternalEvent',
      namedIn(body),
    );
    const payload = { contentPayload: objectOf(body['contentPayload'] ?? {}), id, spaceId: call.space.id };
    return { id, kind: 'event', registrationId, recordId, payload };
  }

  private async endpointCall(reading: Reading, id: string, endpointId: string, body: Content): Promise<TriggeredCall> {
    const callee = await this.needs.callees.calleeOf(reading, { registrationId: endpointId });
    if (callee === undefined || !('endpoint' in callee))
      throw new Refusal(422, `No endpoint ${endpointId} is registered.`, { pointer: '/endpointId' });
    return { id, kind: 'endpoint', registrationId: endpointId, payload: body['contentPayload'] };
  }

  private async readEvent(call: SpaceCall & { readonly place: EventResource }): Promise<Answer> {
    return this.needs.caching.conditional(call, { status: 200, body: call.place });
  }

  /** Takes the event back: no attempt begins any more. Source: extensions, Events 3; ledger deleted-event-in-flight */
  private async deleteEvent({ place: { id } }: FoundContent<EventResource>, writing: Writing): Promise<Answer> {
    await this.needs.queue.cancelDelivery(writing, id);
    await writing.deleteDocument(eventKind, id);
    return { status: 204 };
  }

  /** POST of a mail: accepted when its call is in the queue. */
  private async sendEmail(call: SpaceCall & { readonly json: Content }, writing: Writing): Promise<Answer> {
    const { json: body } = call;
    const payload = this.emailPayload(body);
    const { registrationId, recordId } = await this.needs.triggeredCalls.addresseeOf(writing, 'Email', namedIn(body));
    const id = randomUUID();
    await this.needs.queue.enqueue(
      writing,
      this.needs.triggeredCalls.deliveryOf(call, { id, kind: 'email', registrationId, recordId, payload }),
    );
    return { status: 202, body: { id } };
  }

  /** The mail as composed. Source: extensions, Payloads by extension type, row Email. @throws {Refusal} 422 */
  private emailPayload(body: Content): object {
    const from = this.needs.configuration.emailFrom ?? defaultSender;
    return { to: textOf(body, 'to'), from, subject: textOf(body, 'subject'), body: textOf(body, 'body') };
  }

  /** POST of a job, whose task is called from the queue. Its input may be missing: it may still come. Source: ledger trigger-task-binding */
  private async scheduleTask(call: SpaceCall & { readonly json: Content }, writing: Writing): Promise<Answer> {
    const { json: body } = call;
    const payload = this.taskPayload(body);
    const { registrationId, recordId, record } = await this.needs.triggeredCalls.addresseeOf(
      writing,
      'ExternalTask',
      namedIn(body),
    );
    this.assertManages(record, payload.inputPath);
    const id = randomUUID();
    const triggered = {
      id,
      kind: 'task',
      registrationId,
      recordId,
      payload,
      envelopeId: id,
    } as const;
    const queued = await this.needs.queue.enqueue(writing, this.needs.triggeredCalls.deliveryOf(call, triggered));
    const job: Job = {
      id,
      spaceId: call.space.id,
      recordId,
      inputPath: payload.inputPath,
      timeout: payload.timeout,
      state: queued ? 'Scheduled' : 'Failed',
      scheduledBy: call.user.name,
      ...(!queued && { message: 'Its extension is switched off.' }),
    };
    await keepJob(writing, job);
    return {
      status: 201,
      headers: { Location: `/api/space/${encodeURIComponent(call.space.id)}/dx/${id}` },
      body: jobOut(job),
    };
  }

  /** Source: extensions, Payloads by extension type, row ExternalTask. @throws {Refusal} 422 */
  taskPayload(body: Content): TaskPayload {
    const { taskSettings = {}, timeout = defaultTaskTimeoutSeconds } = body;
    if (typeof timeout !== 'number' || timeout <= 0 || timeout > longestTaskTimeoutSeconds)
      throw new Refusal(
        422,
        `Expected timeout to be a number of seconds above 0, at most ${longestTaskTimeoutSeconds}.`,
        {
          pointer: '/timeout',
        },
      );
    if (typeof taskSettings !== 'object' || taskSettings === null)
      throw new Refusal(422, 'Expected taskSettings to be an object.', { pointer: '/taskSettings' });
    return { timeout, jobSettings: { ...jobSettings }, taskSettings, inputPath: inputPathOf(body) };
  }

  /** Lets a file pass to the task when it is of a type that the record lists, or it lists none. @throws {Refusal} 422 */
  assertManages(record: MetadataRecord, path: string): void {
    const managed = capabilitiesOf(record, 'MimeType');
    const type = mimeTypeOf(path);
    if (managed.length === 0 || managed.includes(type)) return;
    throw new Refusal(422, `${record.id} takes files of type ${managed.join(', ')}; ${path} is ${type}.`, {
      pointer: '/inputPath',
    });
  }

  /**
   * POST of an action, made while the user waits and never again; its answer is what the extension answers.
   * `{ kind: 'form', requestedRoute, httpVerb, contentPayload, objectId? }` or `{ kind: 'ribbon', objectId?, contextObjectId? }`.
   * Source: extensions, Errors 4; ledger action-retries
   */
  async runAction(call: ActionCall): Promise<Answer> {
    const delivery = await this.needs.store.read((reading) => this.actionDelivery(call, reading));
    return actionAnswer(await this.needs.outgoingCalls.callWithRetries(delivery, 0));
  }

  private async actionDelivery(call: ActionCall, reading: Reading): Promise<Delivery> {
    const { json: body, place: named } = call;
    const addressee = await this.needs.triggeredCalls.addresseeOf(reading, 'ExternalAction', {
      ...namedIn(body),
      ...named,
    });
    const { registrationId, recordId, callee } = addressee;
    if (!callee.active) throw new Refusal(409, `The action ${recordId} is switched off.`);
    const payload = await this.actionPayload(call, reading, body);
    return this.needs.triggeredCalls.deliveryOf(call, {
      id: randomUUID(),
      kind: 'action',
      registrationId,
      recordId,
      payload,
    });
  }

  /** The record that the path names; the body may name its host, where several have it. @throws {Refusal} 404 */
  private async locateAction({ params }: SpaceCall, reading: Reading): Promise<{ readonly recordId: string }> {
    const { recordId = '' } = params;
    if ((await this.needs.triggeredCalls.foundAddressee(reading, 'ExternalAction', { recordId })) !== undefined)
      return { recordId };
    throw new Refusal(404, `No registered extension has an action ${recordId}.`, { pointer: 'recordId' });
  }

  /** Source: extensions, Payloads by extension type, row ExternalAction. @throws {Refusal} 422 */
  private async actionPayload(call: SpaceCall, reading: Reading, body: Content): Promise<object> {
    const selected = await objectNamed(call, reading, body, 'objectId');
    const kind = textOf(body, 'kind');
    if (kind !== 'form' && kind !== 'ribbon')
      throw new Refusal(422, `Expected kind to be form or ribbon, found ${kind}.`, { pointer: '/kind' });
    const own = kind === 'form' ? this.formPayload(body) : await this.ribbonPayload(call, reading, body, selected);
    return {
      ...(selected === undefined ? {} : { objectId: selected.oid, svcUOIVersion: selected.version }),
      spaceId: call.space.id,
      ...own,
      informationFilter: this.needs.triggeredCalls.passedFilter(call),
      ...(call.user.email === undefined ? {} : { email: call.user.email }),
    };
  }

  /** The request that the form stands in for. Source: extensions, text on the action content payload */
  formPayload(body: Content): object {
    const { contentPayload } = body;
    if (typeof contentPayload !== 'object' || contentPayload === null)
      throw new Refusal(422, 'Expected contentPayload to be the object or array that the form sends.', {
        pointer: '/contentPayload',
      });
    return { requestedRoute: textOf(body, 'requestedRoute'), httpVerb: textOf(body, 'httpVerb'), contentPayload };
  }

  /** What is selected, and the object whose module it is run from. Source: extensions, text on the action content payload */
  async ribbonPayload(
    call: SpaceCall,
    reading: Reading,
    body: Content,
    selected: StoredObject | undefined,
  ): Promise<object> {
    const context = await objectNamed(call, reading, body, 'contextObjectId');
    const contentPayload = {
      ...(selected === undefined ? {} : { selectedObject: { $oid: selected.oid } }),
      ...(context === undefined ? {} : { contextObject: { $oid: context.oid } }),
    };
    return { contentPayload };
  }
}

function objectOf(value: unknown): Content {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Content;
  throw new Refusal(422, 'Expected contentPayload to be an object: extensions take nothing else.', {
    pointer: '/contentPayload',
  });
}

function eventOf(
  call: SpaceCall,
  { id, kind, registrationId, recordId }: TriggeredCall,
  queued: boolean,
): EventResource {
  const to = kind === 'endpoint' ? { endpointId: registrationId } : { recordId: recordId ?? '' };
  return { id, spaceId: call.space.id, ...to, state: queued ? 'queued' : 'dropped', createdBy: call.user.name };
}

/** @throws {Refusal} 404, also for an event of another space */
async function locateEvent({ params, space }: SpaceCall, reading: Reading): Promise<EventResource> {
  const { eventId = '' } = params;
  const event = await eventWith(reading, eventId);
  if (event?.spaceId === space.id) return event;
  throw new Refusal(404, `There is no event ${eventId} in the space ${space.id}.`, { pointer: 'eventId' });
}

/** A path that leads to a file below the root of the space area. @throws {Refusal} 422 */
function inputPathOf(body: Content): string {
  const path = textOf(body, 'inputPath');
  const segments = path.split('/').filter(Boolean);
  if (segments.length > 0 && !segments.some((segment) => segment === '.' || segment === '..')) return path;
  throw new Refusal(422, 'Expected inputPath to be the path of a file, without dot segments.', {
    pointer: '/inputPath',
  });
}

async function objectNamed(
  { space }: SpaceCall,
  reading: Reading,
  body: Content,
  member: string,
): Promise<StoredObject | undefined> {
  const oid = optionalTextOf(body, member);
  if (oid === undefined) return undefined;
  const object = await reading.object(space.id, oid);
  if (object !== undefined) return object;
  throw new Refusal(422, `There is no object ${oid} in the space ${space.id}.`, { pointer: `/${member}` });
}

/** Status and body of the extension. @throws {Refusal} 504 when it took too long, 502 when it could not be asked */
function actionAnswer(outcome: CallOutcome): Answer {
  if (outcome.kind === 'timeout') throw new Refusal(504, `The extension did not answer within ${outcome.waitedMs} ms.`);
  if (outcome.kind === 'failed') throw new Refusal(502, `The extension could not be asked: ${outcome.reason}.`);
  const { status, body } = outcome;
  if (body === '') return { status };
  return {
    status,
    headers: { 'Content-Type': isJson(body) ? mediaTypes.json : 'text/plain; charset=utf-8' },
    raw: body,
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** File type by the end of the name. */
export function mimeTypeOf(path: string): string {
  return types[posix.extname(path).toLowerCase()] ?? 'application/octet-stream';
}
