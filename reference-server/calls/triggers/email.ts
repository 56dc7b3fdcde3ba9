import { randomUUID } from 'node:crypto';
import { mediaTypes } from '../../../contract/names.ts';
import type { Answer, Service, SpaceCall } from '../../service.ts';
import type { Content, Writing } from '../../store/store.ts';
import { addresseeOf, namedIn, textOf, triggerBody } from './addressee.ts';

/** Where mail is sent. Source: ledger trigger-email-binding */
export const emailPath = '/api/space/{spaceId}/externalEmail';

/** Who sends, where the configuration does not say. */
const defaultSender = 'no-reply@localhost';

/** POST of a mail: accepted when its call is in the queue. */
export async function sendEmail(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const { behaviours } = service;
  behaviours.requireMediaType(service, call, [mediaTypes.json]);
  const body = triggerBody(behaviours.jsonBodyOf(service, call));
  const payload = behaviours.emailPayload(service, body);
  const { registrationId, recordId } = await addresseeOf(service, writing, 'Email', namedIn(body));
  const id = randomUUID();
  await behaviours.enqueue(
    service,
    writing,
    behaviours.deliveryOf(service, call, { id, kind: 'email', registrationId, recordId, payload }),
  );
  return { status: 202, body: { id } };
}

/** The mail as composed. Source: extensions, Payloads by extension type, row Email. @throws {Refusal} 422 */
export function emailPayload({ configuration }: Service, body: Content): object {
  const from = configuration.emailFrom ?? defaultSender;
  return { to: textOf(body, 'to'), from, subject: textOf(body, 'subject'), body: textOf(body, 'body') };
}
