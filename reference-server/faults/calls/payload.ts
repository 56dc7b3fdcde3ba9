import { isJson } from '../answer.ts';
import { replacing, type FaultsOf } from '../fault.ts';
import { withPayload } from './requests.ts';

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJson(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const payloadFaults = {
  'calls.event.payload-fields': withPayload('event', ({ spaceId: _, ...payload }) => payload),
  'calls.event.content-payload-equal': withPayload('event', (payload) => ({
    ...payload,
    contentPayload: withoutNulls(payload['contentPayload']),
  })),

  'calls.validation.payload-fields': replacing('validationPayload', (right) => (call, object) => ({
    ...right(call, object),
    objectId: object.softType,
  })),
  'calls.validation.context-object': replacing('validationPayload', (right) => (call, object) => ({
    ...right(call, object),
    contextObjectId: object.oid,
  })),
  'calls.validation.verdict-applied': replacing('verdictOf', (right) => (outcome) => {
    const verdict = right(outcome);
    return verdict.kind === 'invalid' ? { ...verdict, kind: 'valid' } : verdict;
  }),
  'calls.validation.malformed-is-error': replacing('verdictOf', (right) => (outcome) => {
    const answer = outcome.kind === 'answered' && outcome.status === 200 ? jsonOf(outcome.body) : undefined;
    return isJson(answer) && !('isValid' in answer) ? { kind: 'valid', message: '' } : right(outcome);
  }),

  'calls.email.payload-fields': withPayload('email', (payload) => ({
    ...payload,
    body: String(payload['body']).replaceAll(/<[^>]*>/g, ''),
  })),

  'calls.action.common-fields': withPayload('action', (payload, { configuration }) => {
    const registrar = configuration.users.values().find((user) => user.collectionAdministrator);
    return { ...payload, email: registrar?.email ?? '' };
  }),
  'calls.action.form-fields': replacing('formPayload', (right) => (body) => ({ ...right(body), httpVerb: 'POST' })),
  'calls.action.form-batch': replacing('formPayload', (right) => (body) => {
    const { contentPayload } = body;
    return { ...right(body), ...(Array.isArray(contentPayload) && { contentPayload: contentPayload.slice(0, 1) }) };
  }),
  'calls.action.ribbon-fields': replacing('ribbonPayload', (right) => async (call, reading, body, selected) => ({
    ...(await right(call, reading, body, selected)),
    requestedRoute: call.url,
  })),
  'calls.action.ribbon-context': withPayload('action', (payload) => {
    const { contentPayload } = payload;
    if (!isJson(contentPayload) || 'selectedObject' in contentPayload || !('contextObject' in contentPayload))
      return payload;
    return { ...payload, contentPayload: { ...contentPayload, selectedObject: contentPayload['contextObject'] } };
  }),
} satisfies Partial<FaultsOf<'calls'>>;
