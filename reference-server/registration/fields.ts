import { defaultExecutionsPerMinute, defaultRequestTimeoutSeconds } from '../../contract/limits.ts';
import { Refusal } from '../problem.ts';
import type { Service } from '../service.ts';
import {
  endpointSchema,
  extensionSchema,
  trustedEndpointSchema,
  type EndpointBody,
  type ExtensionBody,
  type TrustedEndpointBody,
} from './body-schemas.ts';
import { decoderOf, Misfit, type Decoder } from './decoder.ts';
import type { EndpointFields, ExtensionFields, Header, TrustedEndpointFields } from './model.ts';

const decodeEndpoint = decoderOf<EndpointBody>(endpointSchema);
const decodeTrustedEndpoint = decoderOf<TrustedEndpointBody>(trustedEndpointSchema);
const decodeExtension = decoderOf<ExtensionBody>(extensionSchema);

/** Source: extensions, Registered external endpoint (simple). @throws {Refusal} 400 */
export function endpointFrom(service: Service, body: unknown): EndpointFields {
  return withDefaults(service, checked(service, decoded(decodeEndpoint, body)));
}

/** Source: extensions, Registered trusted external endpoint. @throws {Refusal} 400 */
export function trustedEndpointFrom(service: Service, body: unknown): TrustedEndpointFields {
  const { tokenLifeTime, permissions, ...endpoint } = checked(service, decoded(decodeTrustedEndpoint, body));
  return { ...withDefaults(service, endpoint), tokenLifeTime, ...(permissions === undefined ? {} : { permissions }) };
}

/** Source: extensions, Registered extension. @throws {Refusal} 400 */
export function extensionFrom(service: Service, body: unknown): ExtensionFields {
  const { hostUri, apiKey, tokenLifeTime, active } = decoded(decodeExtension, body);
  const url = requireUrl(hostUri, '/hostUri');
  if (url.search !== '' || url.hash !== '') throw invalid('/hostUri', 'must be a base URL, without query and fragment');
  service.behaviours.requireKey(apiKey);
  return { hostUri, apiKey, tokenLifeTime, active: active ?? service.behaviours.activeByDefault('svcExtension') };
}

function decoded<T>(decode: Decoder<T>, body: unknown): T {
  const value = decode(body);
  if (value instanceof Misfit) throw invalid(value.pointer, value.complaint);
  return value;
}

/** What the schema cannot say about an endpoint. */
function checked<B extends EndpointBody>(service: Service, body: B): B {
  requireUrl(body.url, '/url');
  service.behaviours.requireMethod(body.method);
  service.behaviours.requireHeaders(body.headers);
  return body;
}

/** Fields that the document does not name end here. */
function withDefaults(service: Service, body: EndpointBody): EndpointFields {
  const { id, url, method, category, headers, name, description } = body;
  return {
    id,
    url,
    method,
    category,
    headers: headers.map((header) => ({ name: header.name, value: header.value })),
    active: body.active ?? service.behaviours.activeByDefault('externalEndpoint'),
    requestTimeout: body.requestTimeout ?? defaultRequestTimeoutSeconds,
    retryForever: body.retryForever ?? false,
    rateLimitNumberOfExecutions: body.rateLimitNumberOfExecutions ?? defaultExecutionsPerMinute,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  };
}

/** Source: extensions, Registered external endpoint and Registered extension, row active */
export function activeByDefault(_kind: 'externalEndpoint' | 'svcExtension'): boolean {
  return true;
}

/** Fewer bytes are guessed too easily. Source: ledger signature-key-format */
const fewestKeyBytes = 16;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** @throws {Refusal} 400 for what is no Base64, or a key too short */
export function requireKey(apiKey: string): void {
  if (!base64.test(apiKey)) throw invalid('/apiKey', 'must be Base64 with padding');
  if (Buffer.from(apiKey, 'base64').length < fewestKeyBytes)
    throw invalid('/apiKey', `must be Base64 of ${fewestKeyBytes} bytes or more`);
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** @throws {Refusal} 400 */
export function requireMethod(method: string): void {
  if (!methods.includes(method.toUpperCase())) throw invalid('/method', `must be one of ${methods.join(', ')}`);
}

/** Those that a connection sets for itself; RFC 9110 sections 7.6.1 and 8.6 */
const headersOfTheConnection = [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** @throws {Refusal} 400 unless one of them is the content type */
export function requireHeaders(headers: readonly Header[]): void {
  const names = headers.map(({ name }) => name.toLowerCase());
  const foreign = names.findIndex((name) => headersOfTheConnection.includes(name));
  if (foreign >= 0) throw invalid(`/headers/${foreign}/name`, 'must not be a header that the connection sets');
  const types = names.filter((name) => name === 'content-type').length;
  if (types !== 1) throw invalid('/headers', `must define content-type once, found it ${types} times`);
}

function requireUrl(text: string, pointer: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw invalid(pointer, 'must be an http or https URL');
  if (url.username !== '' || url.password !== '') throw invalid(pointer, 'must hold no user name and no password');
  return url;
}

/** @param pointer JSON Pointer to the culprit in the body */
export function invalid(pointer: string, complaint: string): Refusal {
  return new Refusal(400, `${pointer === '' ? 'The body' : pointer} ${complaint}.`, { pointer });
}
