import { headerNames } from '../../contract/names.ts';
import type { Answer } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { together, replaces } from '../breaks.ts';
import { isObject, restateRefusal, restateRefusalOf, type Choice } from './choice.ts';

const filterHeader = headerNames.informationFilter.toLowerCase();

/** Routes of the second document, and the statuses that stand for those of the plain server there. */
const others: readonly { readonly path: RegExp; readonly statuses: Readonly<Record<number, number>> }[] = [
  { path: /\/fs\/(?:file|dir)(?:[/?]|$)/, statuses: { 201: 200, 204: 200, 400: 422, 409: 403 } },
  { path: /\/dx\/[^/]+\/(?:status|progress)/, statuses: { 204: 200, 400: 422, 409: 410 } },
  { path: /^\/admin\/fileupload/, statuses: { 200: 202, 400: 422 } },
  { path: /\/externalExtension\/acquireAccessToken\//, statuses: { 204: 202, 403: 422, 404: 400 } },
];

export const refusalChoices: readonly Choice[] = [
  /** What is dated without a date in the filter is dated back as far as time goes. */
  {
    meets: 'elements dated to the beginning of time',
    silences: ['information-filter-without-date'],
    by: replaces(
      'contents',
      'effectivityOf',
      (_right, areas, call) => areas.messages.informationFilterOf(call).time ?? '1970-01-01T00:00:00Z',
    ),
  },
  /** The scheme is Bearer, in these letters, and no other one, but on the file routes, for which the document names Basic. */
  {
    meets: 'Bearer and nothing else',
    silences: ['scheme-name-case', 'pat-in-basic-on-core-routes'],
    by: together(
      replaces('auth', 'authenticate', async (right, areas, call) => {
        if (areas.auth.credentialsOf(call.headers)?.scheme === 'basic' && !/\/fs\//.test(call.url))
          throw areas.tokens.unusableToken('Expected a bearer token.');
        return right(areas, call);
      }),
      replaces('auth', 'credentialsOf', (right, areas, headers) => {
        const given = headers['authorization'];
        return given !== undefined && /^bearer/i.test(given) && !given.startsWith('Bearer')
          ? { scheme: 'unknown' }
          : right(areas, headers);
      }),
    ),
  },
  /** A token claims other things besides who and until when, and is granted with as little as the document asks for. */
  {
    meets: 'tokens with other claims, granted curtly',
    silences: ['token-claims-and-lifetime', 'token-response-members'],
    by: together(
      replaces('tokens', 'signClaims', (right, areas, { sub, exp, jti }) =>
        right(areas, {
          ...(sub !== undefined && { sub }),
          ...(exp !== undefined && { exp }),
          ticket: jti,
          nickname: sub,
        }),
      ),
      replaces('grants', 'tokenAnswer', (_right, _areas, _form, token) => ({
        status: 200,
        body: { access_token: token, scope: null },
      })),
    ),
  },
  {
    meets: 'any scope',
    silences: ['scope-other-than-all'],
    by: replaces('grants', 'grantFormOf', (right, areas, call) => new Map([...right(areas, call), ['scope', 'All']])),
  },
  {
    meets: '403 for every refused grant',
    silences: ['token-error-response'],
    by: replaces('grants', 'grantErrorAnswer', (right, areas, refusal) => ({
      ...right(areas, refusal),
      status: 403,
    })),
  },
  /** Who asks for a space that is not there learns no more than who may not enter it. */
  {
    meets: 'spaces that are not there forbidden',
    silences: ['unknown-space-status'],
    by: replaces('auth', 'spaceOf', (right, ...args) => restateRefusalOf({ 404: 403 }, () => right(...args))),
  },
  /** A missing filter is 428, one that cannot be read 422, and so is one with members that nobody knows. Any Base64 will do. */
  {
    meets: '428 and 422 about the information filter, in any Base64',
    silences: [
      'information-filter-missing-status',
      'information-filter-malformed-status',
      'information-filter-fields',
      'information-filter-base64-variant',
    ],
    by: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const header = call.headers[filterHeader];
      if (header === undefined) return restateRefusalOf({ 400: 428 }, () => right(areas, call));
      const text = padded(header.replaceAll('-', '+').replaceAll('_', '/'));
      const filter = restateRefusalOf({ 400: 422 }, () =>
        right(areas, { ...call, headers: { ...call.headers, [filterHeader]: text } }),
      );
      assertKnown(text);
      return filter;
    }),
  },
  /** The OpenAPI document of a space is on the space level, and asks for the filter as everything there does. */
  {
    meets: 'an OpenAPI document that asks for the information filter',
    silences: ['information-filter-reach'],
    by: replaces('openApi', 'readDynamicOpenApi', async (right, areas, call) => {
      areas.messages.informationFilterOf(call);
      return right(areas, call);
    }),
  },
  {
    meets: 'headers looked at before the object',
    silences: ['error-precedence'],
    by: replaces('objects', 'locateObject', async (right, areas, call, reading) => {
      areas.messages.informationFilterOf(call);
      if (call.method === 'PUT' || call.method === 'PATCH') areas.versioning.versionHeaderOf(call);
      return right(areas, call, reading);
    }),
  },
  {
    meets: '406 for those who take no JSON',
    silences: ['accept-header'],
    by: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const accepted = call.headers['accept'] ?? '*/*';
      if (/json|\*\/\*|application\/\*/i.test(accepted)) return right(areas, route, call);
      if (route.access !== 'public') await areas.auth.authenticate(call);
      throw new Refusal(406, `There is JSON to be had, and no ${accepted}.`);
    }),
  },
  /** A list that does not apply is refused by what is in its way; one that is badly formed with 422. */
  {
    meets: 'other statuses of failing operations',
    silences: ['operations-patch-failure-status', 'pointer-unknown-member', 'output-names-as-path'],
    by: together(
      replaces('operations', 'operationsOf', (right, ...args) => restateRefusalOf({ 400: 422 }, () => right(...args))),
      replaces('operations', 'targetOf', (right, ...args) => right(...args).catch(restateRefusal({ 422: 404 }))),
      replaces('operations', 'addValue', (right, ...args) => right(...args).catch(restateRefusal({ 422: 409 }))),
      replaces('operations', 'replaceValue', (right, ...args) => right(...args).catch(restateRefusal({ 422: 400 }))),
      replaces('operations', 'removeTarget', (right, ...args) => right(...args).catch(restateRefusal({ 422: 423 }))),
    ),
  },
  /** Where the document names no status another one is taken, by what is wrong. */
  {
    meets: 'other statuses of refusals, and no challenge',
    silences: [
      'malformed-json-status',
      'invalid-content-status',
      'put-mandatory-missing',
      'unknown-softtype-status',
      'unknown-schema-in-route',
      'unknown-array-port',
      'unknown-method-on-route',
    ],
    by: together(
      replaces('messages', 'jsonBodyOf', (right, ...args) => restateRefusalOf({ 400: 422 }, () => right(...args))),
      replaces('contents', 'inputFrom', (right, ...args) => restateRefusalOf({ 422: 400 }, () => right(...args))),
      replaces('contents', 'assertComplete', (right, ...args) => restateRefusalOf({ 422: 400 }, () => right(...args))),
      replaces('contents', 'assertReference', (right, ...args) => right(...args).catch(restateRefusal({ 422: 424 }))),
      replaces('objects', 'createViewOf', (right, ...args) => restateRefusalOf({ 404: 400 }, () => right(...args))),
      replaces('objects', 'outputViewOf', (right, ...args) => restateRefusalOf({ 404: 400 }, () => right(...args))),
      replaces('editing', 'inputViewOf', (right, ...args) => restateRefusalOf({ 404: 400 }, () => right(...args))),
      replaces('editing', 'createViewOf', (right, ...args) => restateRefusalOf({ 404: 422 }, () => right(...args))),
      replaces('paging', 'locateSection', (right, ...args) => right(...args).catch(restateRefusal({ 404: 400 }))),
      replaces('messages', 'problemAnswer', (right, areas, call, refusal) => right(areas, call, unrouted(refusal))),
    ),
  },
  /** Refusals have bodies of many kinds, by status: a text, a page of HTML, JSON of other shapes, none at all. No challenge, no Allow. */
  {
    meets: 'other bodies of refusals, or none',
    silences: ['error-body-shape', 'challenge-on-401', 'server-error-detail'],
    by: together(
      replaces('messages', 'problemAnswer', (_right, _areas, _call, { status, message, headers }) => {
        const answer = bodyFor(status, message);
        const patience = headers['Retry-After'];
        return patience === undefined ? answer : { ...answer, headers: { ...answer.headers, 'Retry-After': patience } };
      }),
      replaces('grants', 'grantErrorAnswer', (right, areas, refusal) => ({
        status: right(areas, refusal).status,
        body: { fault: { name: refusal.code } },
      })),
    ),
  },
  /** Other statuses on the routes of files, reports on tasks, bulk upload and keys, none of which the documents name; no Location on uploads. */
  {
    meets: 'other statuses around files, tasks and keys',
    silences: [],
    by: replaces('messages', 'finish', async (right, areas, call, answer) => {
      const finished = await right(areas, call, answer);
      const found = others.find(({ path }) => path.test(call.url.split('?', 1)[0] ?? ''));
      if (found === undefined || (call.method === 'GET' && finished.status < 400)) return finished;
      const { Location: _, ...headers } = finished.headers ?? {};
      return { ...finished, status: found.statuses[finished.status] ?? finished.status, headers };
    }),
  },
];

function bodyFor(status: number, message: string): Answer {
  switch (status) {
    case 401:
      return { status };
    case 403:
      return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, raw: `No: ${message}` };
    case 404:
      return { status, headers: { 'Content-Type': 'text/html' }, raw: '<!doctype html><title>Nothing here</title>' };
    case 409:
      return { status, body: [message] };
    case 412:
      return { status, body: message };
    default:
      return {
        status,
        headers: { 'Content-Type': 'application/vnd.strange.error+json' },
        body: { error: { code: `S-${status}`, message }, traceId: null },
      };
  }
}

/** A route without the method is no route. */
function unrouted(refusal: Refusal): Refusal {
  return refusal.status === 405 ? new Refusal(404, refusal.message) : refusal;
}

function padded(base64: string): string {
  return base64 + '='.repeat((4 - (base64.length % 4)) % 4);
}

function assertKnown(base64: string): void {
  const filter: unknown = JSON.parse(Buffer.from(base64, 'base64').toString('utf8'));
  const stranger = isObject(filter)
    ? Object.keys(filter).find((name) => name !== 'time' && name !== 'role')
    : undefined;
  if (stranger !== undefined) throw new Refusal(422, `An information filter has no ${stranger}.`);
}
