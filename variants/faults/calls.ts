import { randomUUID } from 'node:crypto';
import { mediaTypes } from '../../contract/names.ts';
import type { Areas } from '../../reference-server/areas.ts';
import { withParameter } from '../../reference-server/areas/callees.ts';
import type { SpaceCall } from '../../reference-server/http/call.ts';
import type { CallKind, Delivery, OutgoingRequest } from '../../reference-server/ports/deliveries.ts';
import { type Changes, type Variant, type Variants, together, within, replaces } from '../breaks.ts';
import { type Json, isJson } from './answers.ts';

/** A life time that is nobody's own, in minutes. */
const globalLifeMinutes = 60;

const endpointFaults = {
  'calls.simple.method': toEndpoints('externalEndpoint', (request) =>
    request.method === 'PATCH' ? { ...request, method: 'POST' } : request,
  ),
  'calls.simple.by-its-id': replaces('registry', 'registrationOf', async (right, areas, reading, id) => {
    const asNumber = /^\d+(?:\.\d+)?$/.test(id) ? await right(areas, reading, String(Number(id))) : undefined;
    return asNumber ?? right(areas, reading, id);
  }),
  'calls.simple.headers': toEndpoints('externalEndpoint', (request) => {
    const kept = Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'content-type');
    return { ...request, headers: { ...Object.fromEntries(kept), 'content-type': mediaTypes.json } };
  }),
  'calls.simple.body': toEndpoints(
    'externalEndpoint',
    ({ body, ...request }, { envelopeId, informationFilter, payload }) => {
      if (body === undefined) return request;
      return { ...request, body: JSON.stringify({ id: envelopeId, informationFilter, payload }) };
    },
  ),
  'calls.simple.no-body-for-get': toEndpoints('externalEndpoint', (request, { payload }) =>
    request.method === 'GET' ? { ...request, body: JSON.stringify(payload) } : request,
  ),
  'calls.simple.no-token': toEndpoints('externalEndpoint', async (request, { userName }, areas) => {
    const token = await areas.requests.impersonationToken(userName, globalLifeMinutes);
    return { ...request, url: withParameter(request.url, 'access_token', token) };
  }),

  'calls.trusted.access-token-appended': replaces('requests', 'tokenParameter', (right, areas, kind) =>
    kind === 'endpoint' ? 'token' : right(areas, kind),
  ),
  'calls.trusted.existing-query-kept': toEndpoints('trustedExternalEndpoint', (request) => ({
    ...request,
    url: request.url.replace('&access_token=', '?access_token='),
  })),
  'calls.trusted.token-life-time': replaces('requests', 'endpointUrl', (right, areas, delivery, target) => {
    const impersonationToken = (userName: string): Promise<string> =>
      areas.requests.impersonationToken(userName, globalLifeMinutes);
    return right(within(areas, { requests: { impersonationToken } }), delivery, target);
  }),
  'calls.trusted.simple-rules-apply': toEndpoints('trustedExternalEndpoint', (request) => ({
    ...request,
    headers: {},
  })),
} satisfies Variants;

const guid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Base64 of an empty object. */
const emptyFilter = 'e30=';

const oneId: Variant = (classes) => {
  const always = randomUUID();
  return withEnvelopeId('event', (id, { correlationGiven }) => (correlationGiven ? id : always))(classes);
};

const addressOfTrigger: Variant = (classes) => {
  const hosts = new Map<string, string>();
  const noting = replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
    hosts.set(triggered.id, call.headers['host'] ?? '');
    return right(areas, call, triggered);
  });
  const telling = withEnvelope((envelope, { id }) => ({ ...envelope, baseAddress: `http://${hosts.get(id) ?? ''}` }));
  return together(noting, telling)(classes);
};

const envelopeFaults = {
  'calls.extension.post-to-endpoint': replaces(
    'requests',
    'extensionRequest',
    async (right, areas, delivery, target) => ({
      ...(await right(areas, delivery, target)),
      method: 'PUT',
    }),
  ),
  'calls.extension.right-throughout': replaces(
    'requests',
    'extensionRequest',
    async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (callee.record.capabilities === undefined || delivery.kind !== 'event') return request;
      const { baseAddress: _, ...envelope } = jsonIn(request);
      return { ...request, body: JSON.stringify(envelope) };
    },
  ),
  'calls.envelope.all-fields': withEnvelope((envelope, { kind }) =>
    kind === 'event' ? { ...envelope, informationFilter: undefined } : envelope,
  ),
  'calls.envelope.id-from-correlation': withEnvelopeId('event', () => randomUUID()),
  'calls.envelope.id-correlation-verbatim': withEnvelopeId('event', (id) => (guid.test(id) ? id : randomUUID())),
  'calls.envelope.id-fresh-guid': oneId,
  'calls.envelope.id-across-types': withEnvelopeId('validation', () => randomUUID()),
  'calls.envelope.base-address': addressOfTrigger,
  'calls.envelope.information-filter-base64': withEnvelope((envelope) => ({
    ...envelope,
    informationFilter: Buffer.from(String(envelope['informationFilter']), 'base64').toString('utf8'),
  })),
  'calls.envelope.information-filter-of-trigger': replaces('triggeredCalls', 'passedFilter', () => emptyFilter),
} satisfies Variants;

const payloadFaults = {
  'calls.event.payload-fields': withPayload('event', ({ spaceId: _, ...payload }) => payload),
  'calls.event.content-payload-equal': withPayload('event', (payload) => ({
    ...payload,
    contentPayload: withoutNulls(payload['contentPayload']),
  })),

  'calls.validation.payload-fields': replaces('validation', 'validationPayload', (right, areas, call, object) => ({
    ...right(areas, call, object),
    objectId: object.softType,
  })),
  'calls.validation.context-object': replaces('validation', 'validationPayload', (right, areas, call, object) => ({
    ...right(areas, call, object),
    contextObjectId: object.oid,
  })),
  'calls.validation.verdict-applied': replaces('validation', 'verdictOf', (right, areas, outcome) => {
    const verdict = right(areas, outcome);
    return verdict.kind === 'invalid' ? { ...verdict, kind: 'valid' } : verdict;
  }),
  'calls.validation.malformed-is-error': replaces('validation', 'verdictOf', (right, areas, outcome) => {
    const answer = outcome.kind === 'answered' && outcome.status === 200 ? jsonOf(outcome.body) : undefined;
    return isJson(answer) && !('isValid' in answer) ? { kind: 'valid', message: '' } : right(areas, outcome);
  }),

  'calls.email.payload-fields': withPayload('email', (payload) => ({
    ...payload,
    body: String(payload['body']).replaceAll(/<[^>]*>/g, ''),
  })),

  'calls.action.common-fields': withPayload('action', (payload, { configuration }) => {
    const registrar = configuration.users.values().find((user) => user.collectionAdministrator);
    return { ...payload, email: registrar?.email ?? '' };
  }),
  'calls.action.form-fields': replaces('triggers', 'formPayload', (right, areas, body) => ({
    ...right(areas, body),
    httpVerb: 'POST',
  })),
  'calls.action.form-batch': replaces('triggers', 'formPayload', (right, areas, body) => {
    const { contentPayload } = body;
    return {
      ...right(areas, body),
      ...(Array.isArray(contentPayload) && { contentPayload: contentPayload.slice(0, 1) }),
    };
  }),
  'calls.action.ribbon-fields': replaces(
    'triggers',
    'ribbonPayload',
    async (right, areas, call, reading, body, selected) => ({
      ...(await right(areas, call, reading, body, selected)),
      requestedRoute: call.url,
    }),
  ),
  'calls.action.ribbon-context': withPayload('action', (payload) => {
    const { contentPayload } = payload;
    if (!isJson(contentPayload) || 'selectedObject' in contentPayload || !('contextObject' in contentPayload))
      return payload;
    return { ...payload, contentPayload: { ...contentPayload, selectedObject: contentPayload['contextObject'] } };
  }),
} satisfies Variants;

/** A user of the bundled configuration without any role. */
const technicalUser = 'nora';

const powerful = 'powerful';

const tokenFaults = {
  'calls.token.jwt-form': inExtensionCalls(() => ({ requests: { impersonationToken: async () => randomUUID() } })),
  'calls.token.accepted-by-api': inExtensionCalls(({ requests }) => ({
    requests: {
      impersonationToken: (_userName, lifeTimeMinutes) => requests.impersonationToken(technicalUser, lifeTimeMinutes),
    },
  })),
  'calls.token.no-more-rights': together(
    inExtensionCalls(({ tokens }) => ({
      tokens: { signClaims: (claims) => tokens.signClaims({ ...claims, [powerful]: true }) },
    })),
    replaces('auth', 'userOfToken', async (right, areas, token) => {
      const user = await right(areas, token);
      const claims = claimsIn(token);
      return user !== undefined && isJson(claims) && claims[powerful] === true
        ? { ...user, collectionAdministrator: true }
        : user;
    }),
  ),
  'calls.token.life-time-claim': inExtensionCalls(({ requests }) => ({
    requests: {
      impersonationToken: (userName, lifeTimeMinutes) => requests.impersonationToken(userName, lifeTimeMinutes / 60),
    },
  })),
  'calls.token.expires': replaces('tokens', 'checkExpiry', (right, areas, claims) => {
    if (!('scope' in claims && claims.scope === 'impersonation')) right(areas, claims);
  }),
  'calls.query-token.validation': replaces(
    'requests',
    'hasTokenQuery',
    (right, areas, kind) => kind !== 'validation' && right(areas, kind),
  ),
  'calls.query-token.task': replaces(
    'requests',
    'hasTokenQuery',
    (right, areas, kind) => kind !== 'task' && right(areas, kind),
  ),
  'calls.query-token.email': replaces(
    'requests',
    'hasTokenQuery',
    (right, areas, kind) => kind !== 'email' && right(areas, kind),
  ),
} satisfies Variants;

export const callsFaults = {
  ...envelopeFaults,
  ...tokenFaults,
  ...payloadFaults,
  ...endpointFaults,
} satisfies Variants;

/** The envelope of calls to extensions is changed just before it is sent. */
export function withEnvelope(change: (envelope: Json, delivery: Delivery, areas: Areas) => Json): Variant {
  return replaces('requests', 'extensionRequest', async (right, areas, delivery, target) => {
    const request = await right(areas, delivery, target);
    return { ...request, body: JSON.stringify(change(jsonIn(request), delivery, areas)) };
  });
}

/** The payload of one kind of calls to extensions is changed just before it is sent. */
export function withPayload(kind: CallKind, change: (payload: Json, areas: Areas) => Json): Variant {
  return withEnvelope((envelope, delivery, areas) => {
    const { payload } = envelope;
    return delivery.kind === kind && isJson(payload) ? { ...envelope, payload: change(payload, areas) } : envelope;
  });
}

/** Calls to extensions, and nothing else, are made with other methods. */
function inExtensionCalls(other: (right: Areas) => Changes): Variant {
  return replaces('requests', 'extensionRequest', (right, areas, delivery, target) =>
    right(within(areas, other(areas)), delivery, target),
  );
}

/** Requests to endpoints of one kind are changed just before they are sent. */
function toEndpoints(
  kind: 'externalEndpoint' | 'trustedExternalEndpoint',
  change: (request: OutgoingRequest, delivery: Delivery, areas: Areas) => OutgoingRequest | Promise<OutgoingRequest>,
): Variant {
  return replaces('requests', 'endpointRequest', async (right, areas, delivery, target) => {
    const request = await right(areas, delivery, target);
    return target.endpoint.kind === kind ? change(request, delivery, areas) : request;
  });
}

function jsonIn({ body = '{}' }: OutgoingRequest): Json {
  const value: unknown = JSON.parse(body);
  return isJson(value) ? value : {};
}

/** Calls of that kind get another envelope id than the right one. */
function withEnvelopeId(kind: CallKind, other: (id: string, call: SpaceCall) => string): Variant {
  return replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
    const delivery = right(areas, call, triggered);
    return triggered.kind === kind ? { ...delivery, envelopeId: other(delivery.envelopeId, call) } : delivery;
  });
}

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

function claimsIn(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
