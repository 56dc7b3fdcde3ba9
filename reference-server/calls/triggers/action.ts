import { randomUUID } from 'node:crypto';
import { mediaTypes } from '../../../contract/names.ts';
import type { CallOutcome, Delivery } from '../../delivery/delivery.ts';
import { Refusal } from '../../problem.ts';
import type { Answer, Service, SpaceCall } from '../../service.ts';
import type { Content, Reading, StoredObject } from '../../store/store.ts';
import { addresseeOf, foundAddressee, namedIn, optionalTextOf, textOf, triggerBody } from './addressee.ts';

/** Where actions are run. Source: ledger trigger-action-binding */
export const actionPath = '/api/space/{spaceId}/externalAction/{recordId}';

/**
 * POST of an action, made while the user waits and never again; its answer is what the extension answers.
 * `{ kind: 'form', requestedRoute, httpVerb, contentPayload, objectId? }` or `{ kind: 'ribbon', objectId?, contextObjectId? }`.
 * Source: extensions, Errors 4; ledger action-retries
 */
export async function runAction(service: Service, call: SpaceCall): Promise<Answer> {
  const delivery = await service.store.read((reading) => actionDelivery(service, call, reading));
  return service.behaviours.actionAnswer(await service.behaviours.callWithRetries(service, delivery, 0));
}

async function actionDelivery(service: Service, call: SpaceCall, reading: Reading): Promise<Delivery> {
  const { behaviours } = service;
  const named = await locateAction(service, call, reading);
  behaviours.requireMediaType(service, call, [mediaTypes.json]);
  const body = triggerBody(behaviours.jsonBodyOf(service, call));
  const addressee = await addresseeOf(service, reading, 'ExternalAction', { ...namedIn(body), ...named });
  const { registrationId, recordId, callee } = addressee;
  if (!callee.active) throw new Refusal(409, `The action ${recordId} is switched off.`);
  const payload = await behaviours.actionPayload(service, call, reading, body);
  return behaviours.deliveryOf(service, call, { id: randomUUID(), kind: 'action', registrationId, recordId, payload });
}

/** The record that the path names; the body may name its host, where several have it. @throws {Refusal} 404 */
async function locateAction(
  service: Service,
  { params }: SpaceCall,
  reading: Reading,
): Promise<{ readonly recordId: string }> {
  const { recordId = '' } = params;
  if ((await foundAddressee(service, reading, 'ExternalAction', { recordId })) !== undefined) return { recordId };
  throw new Refusal(404, `No registered extension has an action ${recordId}.`, { pointer: 'recordId' });
}

/** Source: extensions, Payloads by extension type, row ExternalAction. @throws {Refusal} 422 */
export async function actionPayload(
  service: Service,
  call: SpaceCall,
  reading: Reading,
  body: Content,
): Promise<object> {
  const { behaviours } = service;
  const selected = await objectNamed(call, reading, body, 'objectId');
  const kind = textOf(body, 'kind');
  if (kind !== 'form' && kind !== 'ribbon')
    throw new Refusal(422, `Expected kind to be form or ribbon, found ${kind}.`, { pointer: '/kind' });
  const own =
    kind === 'form' ? behaviours.formPayload(body) : await behaviours.ribbonPayload(call, reading, body, selected);
  return {
    ...behaviours.selectionPayload(selected),
    spaceId: call.space.id,
    ...own,
    informationFilter: behaviours.passedFilter(service, call),
    ...behaviours.emailOf(call),
  };
}

/** The object selected and the version that it was at; nothing without a selection. Source: ledger optional-payload-members, uoi-version-type */
export function selectionPayload(selected: StoredObject | undefined): object {
  return selected === undefined ? {} : { objectId: selected.oid, svcUOIVersion: selected.version };
}

/** The request that the form stands in for. Source: extensions, text on the action content payload */
export function formPayload(body: Content): object {
  const { contentPayload } = body;
  if (typeof contentPayload !== 'object' || contentPayload === null)
    throw new Refusal(422, 'Expected contentPayload to be the object or array that the form sends.', {
      pointer: '/contentPayload',
    });
  return { requestedRoute: textOf(body, 'requestedRoute'), httpVerb: textOf(body, 'httpVerb'), contentPayload };
}

/** What is selected, and the object whose module it is run from. Source: extensions, text on the action content payload */
export async function ribbonPayload(
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

/** Address of the caller; absent where none is configured. */
export function emailOf({ user }: SpaceCall): { readonly email?: string } {
  return user.email === undefined ? {} : { email: user.email };
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
export function actionAnswer(outcome: CallOutcome): Answer {
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
