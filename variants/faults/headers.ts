import { randomUUID } from 'node:crypto';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Answer, Call } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, type Variants, replaces } from '../breaks.ts';
import { withBody, withHeaders } from './answers.ts';

const versionHeader = headerNames.version.toLowerCase();

const filterHeader = headerNames.informationFilter.toLowerCase();

const guid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const withoutVersion = (answer: Answer): Answer => withHeaders(answer, { [headerNames.version]: undefined });

export const headersFaults = {
  'headers.uoi-version.on-create': finishing(isCreate, withoutVersion),
  'headers.uoi-version.on-merge': finishing(
    (call, answer) => isMerge(call) && isSuccess(answer),
    (answer, call) => withHeaders(answer, { [headerNames.version]: call.headers[versionHeader] }),
  ),
  'headers.uoi-version.on-operations': finishing(
    (call, answer) => isOperations(call) && isSuccess(answer),
    withoutVersion,
  ),
  'headers.uoi-version.on-put': finishing((call, answer) => isPut(call) && isSuccess(answer), withoutVersion),

  'headers.location.on-create': finishing(isCreate, (answer) => withHeaders(answer, { Location: undefined })),
  'headers.location.leads-to-object': finishing(isCreate, (answer) =>
    withHeaders(answer, { Location: answer.headers?.['Location']?.replace(/\/[^/]+$/, '') }),
  ),
  'headers.uris.stay-on-gateway': finishing(
    (call, answer) => answer.status === 200 && call.url.includes('/page/'),
    (answer) => withBody(answer, (body) => ({ ...body, href: `http://node-17.internal:8443${String(body['href'])}` })),
  ),

  'headers.information-filter.required-on-reads': withDefaultFilter((call) => call.method === 'GET'),
  'headers.information-filter.required-on-writes': withDefaultFilter((call) => call.method !== 'GET'),

  'headers.spelling.json-bodies': replaces('messages', 'jsonBodyOf', (right, areas, call) => {
    if (isMerge(call) && /\\u00[2-7]/.test(String(call.body))) throw new Refusal(400, 'The body is no JSON.');
    return right(areas, call);
  }),
  'headers.spelling.addresses': replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    if (/%(3[0-9]|[46][1-9a-f]|[57][0-9a])/i.test(call.url)) throw new Refusal(404, 'There is no such id.');
    return right(areas, route, call);
  }),

  'headers.correlation-id.optional': replaces('openApi', 'readDynamicOpenApi', async (right, areas, call) => {
    if (!call.correlationGiven) throw new Refusal(400, `${headerNames.correlationId} is missing.`);
    return right(areas, call);
  }),
  'headers.correlation-id.any-text': replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    if (call.correlationGiven && !guid.test(call.correlationId))
      throw new Refusal(400, `${headerNames.correlationId} is no GUID.`);
    return right(areas, route, call);
  }),
  'headers.correlation-id.reaches-extension': replaces('triggeredCalls', 'envelopeIdOf', () => randomUUID()),
  'headers.correlation-id.in-log-messages': replaces('messages', 'logRefusal', (_right, areas, call, refusal) =>
    areas.log.warn({ url: call.url, status: refusal.status }, 'refused'),
  ),

  'headers.status.refusal-is-no-server-error': replaces('messages', 'jsonBodyOf', (right, areas, call) => {
    try {
      return right(areas, call);
    } catch (error) {
      throw call.method === 'POST' && error instanceof Refusal ? new Refusal(500, error.message) : error;
    }
  }),

  'headers.names.case-insensitive': replaces('messages', 'headersOf', (right, areas, rawHeaders) => {
    const headers = right(areas, rawHeaders);
    return rawHeaders.includes(headerNames.version.toUpperCase())
      ? { ...headers, [versionHeader]: undefined }
      : headers;
  }),

  'headers.no-content.empty-body': finishing(
    (_call, answer) => answer.status === 204,
    (answer) => ({ ...answer, raw: 'null' }),
  ),
  'headers.content-type.json-bodies': finishing(
    (call, answer) => answer.status === 200 && call.url.includes('/softtype/'),
    (answer) => withHeaders(answer, { 'Content-Type': 'text/plain; charset=utf-8' }),
  ),
} satisfies Variants;

/** Answers of these calls are changed just before they are sent. */
function finishing(
  applies: (call: Call, answer: Answer) => boolean,
  change: (answer: Answer, call: Call) => Answer,
): Variant {
  return replaces('messages', 'finish', async (right, areas, call, answer) => {
    const finished = await right(areas, call, answer);
    return applies(call, answer) ? change(finished, call) : finished;
  });
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

function isOperations(call: Call): boolean {
  return (call.headers['content-type'] ?? '').startsWith(mediaTypes.operations);
}

function isMerge(call: Call): boolean {
  return call.method === 'PATCH' && !isOperations(call);
}

function isPut(call: Call): boolean {
  return call.method === 'PUT' && call.url.includes('/softtype/');
}

function isCreate(_call: Call, answer: Answer): boolean {
  return answer.status === 201;
}

/** A missing filter counts as an empty one. */
function withDefaultFilter(applies: (call: Call) => boolean): Variant {
  return replaces('messages', 'informationFilterOf', (right, areas, call) =>
    applies(call) && call.headers[filterHeader] === undefined ? {} : right(areas, call),
  );
}
