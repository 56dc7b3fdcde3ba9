import { randomUUID } from 'node:crypto';
import { base64 } from '../../contract/base64.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import { STATUS_CODES } from '../../contract/node-http.ts';
import type { Answer, Call, InformationFilter } from '../http/call.ts';
import { JsonTextError, parseJsonText } from '../http/json-text.ts';
import { Refusal } from '../http/refusal.ts';
import { loggedUrl, silentLog } from '../log.ts';
import { isRfc3339 } from '../rfc3339.ts';

/** Headers of a request by lower-case name, as `Call` has them. */
export type RequestHeaders = Call['headers'];

interface Correlation {
  readonly correlationId: string;
  readonly correlationGiven: boolean;
}

const filterHeader = headerNames.informationFilter.toLowerCase();

const correlationHeader = headerNames.correlationId.toLowerCase();

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Standard alphabet with padding. Source: RFC 4648 section 4 */

const filterDecoder = new TextDecoder('utf-8', { fatal: true });

/** Headers and bodies of requests, and what every answer goes through on its way out. */
export class Messages {
  /** Names without regard to case; repeated headers are joined in order. `rawHeaders` holds names and values in turn. Source: RFC 9110 section 5.3 */
  headersOf(rawHeaders: readonly string[]): RequestHeaders {
    const headers: Record<string, string> = Object.create(null);
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = (rawHeaders[index] ?? '').toLowerCase();
      const value = rawHeaders[index + 1] ?? '';
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
    }
    return headers;
  }

  /** The information filter, which every space route but the OpenAPI document asks for. Source: core, Information filter. @throws {Refusal} 400 */
  informationFilterOf(call: Call): InformationFilter {
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
  requireMediaType(call: Call, accepted: readonly string[]): string {
    const given = call.headers['content-type'];
    const mediaType = given?.split(';', 1)[0]?.trim().toLowerCase();
    if (mediaType !== undefined && accepted.includes(mediaType)) return mediaType;
    throw new Refusal(415, `Expected a body of type ${accepted.join(' or ')}, found ${given ?? 'none named'}.`, {
      pointer: 'Content-Type',
      headers: call.method === 'PATCH' ? { 'Accept-Patch': accepted.join(', ') } : {},
    });
  }

  /** The body as JSON. @throws {Refusal} 400 with line and column for one that is empty, not UTF-8, not JSON or nested too deeply */
  jsonBodyOf(call: Call): unknown {
    if (call.body === undefined || call.body.length === 0)
      throw new Refusal(400, 'Expected a JSON body, found none.', { pointer: '' });
    try {
      return parseJsonText(utf8(call.body));
    } catch (error) {
      if (error instanceof JsonTextError) throw new Refusal(400, error.message, { pointer: '' });
      throw error;
    }
  }

  /** The last hand that an answer passes, refusals included: echoes the correlation id that the client gave. */
  async finish(call: Call, answer: Answer): Promise<Answer> {
    if (!call.correlationGiven) return answer;
    return { ...answer, headers: { ...answer.headers, [headerNames.correlationId]: call.correlationId } };
  }

  /** A refusal as problem document. Source: RFC 9457 */
  problemAnswer(_call: Call, refusal: Refusal): Answer {
    const { status, message, pointer, headers } = refusal;
    const title = STATUS_CODES[status] ?? 'Refused';
    const body = { type: 'about:blank', title, status, detail: message, ...(pointer === undefined ? {} : { pointer }) };
    return { status, headers: { 'Content-Type': mediaTypes.problem, ...headers }, body };
  }

  logStart(call: Call): void {
    if (call.log === silentLog) return;
    call.log.info({ method: call.method, url: loggedUrl(call.url) }, 'request');
  }

  logRefusal(call: Call, refusal: Refusal): void {
    call.log.warn(
      { method: call.method, url: loggedUrl(call.url), status: refusal.status, detail: refusal.message },
      'refused',
    );
  }

  logFailure(call: Call, error: unknown): void {
    call.log.error({ method: call.method, url: loggedUrl(call.url), err: error }, 'failed');
  }

  logEnd(call: Call, answer: Answer, durationMs: number): void {
    if (call.log === silentLog) return;
    call.log.info({ method: call.method, url: loggedUrl(call.url), status: answer.status, durationMs }, 'answered');
  }
}

/** The correlation id that the client gave, or a GUID of our own. Source: core, Common request headers */
export function correlationIdOf(headers: RequestHeaders): Correlation {
  const given = headers[correlationHeader];
  return given === undefined || given === ''
    ? { correlationId: randomUUID(), correlationGiven: false }
    : { correlationId: given, correlationGiven: true };
}

function utf8(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Refusal(400, 'Expected a JSON body in UTF-8, found bytes that are none.', { pointer: '' });
  }
}

/** The filter that the text of its header holds. @throws {Refusal} 400 */
export function informationFilterFrom(header: string): InformationFilter {
  const { time, role } = objectFrom(header);
  if (time !== undefined && !isRfc3339(time)) throw refuseMalformed('to have a time that is an RFC 3339 time');
  if (role !== undefined && typeof role !== 'string') throw refuseMalformed('to have a role that is a text');
  return { ...(time === undefined ? {} : { time }), ...(role === undefined ? {} : { role }) };
}

function objectFrom(header: string): { readonly time?: unknown; readonly role?: unknown } {
  if (header === '' || !base64.test(header)) throw refuseMalformed('to be Base64 with padding (RFC 4648 section 4)');
  const value = jsonFrom(header);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuseMalformed('to be a JSON object');
  return value;
}

function jsonFrom(header: string): unknown {
  try {
    return JSON.parse(filterDecoder.decode(Buffer.from(header, 'base64')));
  } catch {
    throw refuseMalformed('to be Base64 of a JSON object in UTF-8');
  }
}

function refuseMalformed(expected: string): Refusal {
  return new Refusal(400, `Expected the information filter ${expected}.`, { pointer: headerNames.informationFilter });
}
