import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { headerNames, mediaTypes } from '../contract/names.ts';
import { informationFilterFrom } from './http/information-filter.ts';
import { JsonTextError, parseJsonText } from './http/json-text.ts';
import { carryOut } from './http/carry-out.ts';
import { loggedUrl, silentLog } from './log.ts';
import { Refusal } from './problem.ts';
import type { Answer, Call, InformationFilter, Service } from './service.ts';

/** Headers of a request by lower-case name, as `Call` has them. */
export type RequestHeaders = Call['headers'];

export interface Correlation {
  readonly correlationId: string;
  readonly correlationGiven: boolean;
}

const filterHeader = headerNames.informationFilter.toLowerCase();
const correlationHeader = headerNames.correlationId.toLowerCase();

/** Names without regard to case; repeated headers are joined in order. `rawHeaders` holds names and values in turn. Source: RFC 9110 section 5.3 */
export function headersOf(rawHeaders: readonly string[]): RequestHeaders {
  const headers: Record<string, string> = Object.create(null);
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/** The correlation id that the client gave, or a GUID of our own. Source: core, Common request headers */
export function correlationIdOf(headers: RequestHeaders): Correlation {
  const given = headers[correlationHeader];
  return given === undefined || given === ''
    ? { correlationId: randomUUID(), correlationGiven: false }
    : { correlationId: given, correlationGiven: true };
}

/** The information filter, which every space route but the OpenAPI document asks for. Source: core, Information filter. @throws {Refusal} 400 */
export function informationFilterOf(_service: Service, call: Call): InformationFilter {
  const header = call.headers[filterHeader];
  if (header !== undefined) return informationFilterFrom(header);
  throw new Refusal(
    400,
    `Expected the header ${headerNames.informationFilter} with the information filter as Base64 of a JSON object, found none.`,
    {
      pointer: headerNames.informationFilter,
    },
  );
}

/** The media type of the body, which has to be one of those accepted; compared without case and parameters. @throws {Refusal} 415 */
export function requireMediaType(_service: Service, call: Call, accepted: readonly string[]): string {
  const given = call.headers['content-type'];
  const mediaType = given?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== undefined && accepted.includes(mediaType)) return mediaType;
  throw new Refusal(415, `Expected a body of type ${accepted.join(' or ')}, found ${given ?? 'none named'}.`, {
    pointer: 'Content-Type',
    headers: call.method === 'PATCH' ? { 'Accept-Patch': accepted.join(', ') } : {},
  });
}

/** The body as JSON. @throws {Refusal} 400 with line and column for one that is empty, not UTF-8, not JSON or nested too deeply */
export function jsonBodyOf(_service: Service, call: Call): unknown {
  if (call.body === undefined || call.body.length === 0)
    throw new Refusal(400, 'Expected a JSON body, found none.', { pointer: '' });
  try {
    return parseJsonText(utf8(call.body));
  } catch (error) {
    if (error instanceof JsonTextError) throw new Refusal(400, error.message, { pointer: '' });
    throw error;
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function utf8(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Refusal(400, 'Expected a JSON body in UTF-8, found bytes that are none.', { pointer: '' });
  }
}

/** The last hand that an answer passes, refusals included: echoes the correlation id that the client gave. */
export async function finish(_service: Service, call: Call, answer: Answer): Promise<Answer> {
  if (!call.correlationGiven) return answer;
  return { ...answer, headers: { ...answer.headers, [headerNames.correlationId]: call.correlationId } };
}

/** A refusal as problem document. Source: RFC 9457 */
export function problemAnswer(_service: Service, _call: Call, refusal: Refusal): Answer {
  const { status, message, pointer, headers } = refusal;
  const title = STATUS_CODES[status] ?? 'Refused';
  const body = { type: 'about:blank', title, status, detail: message, ...(pointer === undefined ? {} : { pointer }) };
  return { status, headers: { 'Content-Type': mediaTypes.problem, ...headers }, body };
}

export function logStart(_service: Service, call: Call): void {
  if (call.log === silentLog) return;
  call.log.info({ method: call.method, url: loggedUrl(call.url) }, 'request');
}

export function logRefusal(_service: Service, call: Call, refusal: Refusal): void {
  call.log.warn(
    { method: call.method, url: loggedUrl(call.url), status: refusal.status, detail: refusal.message },
    'refused',
  );
}

export function logFailure(_service: Service, call: Call, error: unknown): void {
  call.log.error({ method: call.method, url: loggedUrl(call.url), err: error }, 'failed');
}

export function logEnd(_service: Service, call: Call, answer: Answer, durationMs: number): void {
  if (call.log === silentLog) return;
  call.log.info({ method: call.method, url: loggedUrl(call.url), status: answer.status, durationMs }, 'answered');
}

export const headersBehaviours = {
  headersOf,
  correlationIdOf,
  informationFilterOf,
  requireMediaType,
  jsonBodyOf,
  carryOut,
  finish,
  problemAnswer,
  logStart,
  logRefusal,
  logFailure,
  logEnd,
};
