import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Delivery, OutgoingRequest } from '../delivery/delivery.ts';
import type { Header } from '../registration/model.ts';
import type { Service } from '../service.ts';
import type { Reading } from '../store/store.ts';
import type { EndpointCallee, ExtensionCallee } from './callee.ts';
import { withParameter } from './url.ts';

/** One attempt of a delivery. The token in it is issued for this attempt. Undefined where the registration is gone. Source: ledger token-on-retry */
export async function requestFor(
  service: Service,
  reading: Reading,
  delivery: Delivery,
  _attempt: number,
): Promise<OutgoingRequest | undefined> {
  const callee = await service.behaviours.calleeOf(service, reading, delivery);
  if (callee === undefined) return undefined;
  if ('endpoint' in callee) return service.behaviours.endpointRequest(service, delivery, callee);
  return service.behaviours.extensionRequest(service, delivery, callee);
}

/** Signed, with the envelope. Source: extensions, Calls to extensions; Authentication 3 and 4 */
export async function extensionRequest(
  service: Service,
  delivery: Delivery,
  callee: ExtensionCallee,
): Promise<OutgoingRequest> {
  const { behaviours } = service;
  const token = await behaviours.impersonationToken(service, delivery.userName, callee.extension.tokenLifeTime);
  const payload = behaviours.payloadOf(service, delivery, token);
  const url = behaviours.hasTokenQuery(delivery.kind)
    ? withParameter(callee.url, behaviours.tokenParameter(delivery.kind), token)
    : callee.url;
  const headers = {
    ...behaviours.signatureHeaders(service, callee.extension.apiKey, url),
    'Content-Type': `${mediaTypes.json}; charset=utf-8`,
    [headerNames.correlationId]: delivery.envelopeId,
  };
  const body = JSON.stringify(behaviours.envelopeOf(service, delivery, token, payload));
  return { method: 'POST', url, headers, body, timeoutMs: callee.timeoutMs };
}

/** As configured; trusted ones get a token in the query. Source: extensions, Registered external endpoint and Registered trusted external endpoint */
export async function endpointRequest(
  service: Service,
  delivery: Delivery,
  callee: EndpointCallee,
): Promise<OutgoingRequest> {
  const { behaviours } = service;
  const method = callee.endpoint.method.toUpperCase();
  const body = behaviours.endpointBody(method, delivery.payload);
  return {
    method,
    url: await behaviours.endpointUrl(service, delivery, callee),
    headers: behaviours.endpointHeaders(callee.endpoint.headers),
    ...(body === undefined ? {} : { body }),
    timeoutMs: callee.timeoutMs,
  };
}

export async function endpointUrl(service: Service, delivery: Delivery, { endpoint }: EndpointCallee): Promise<string> {
  const { behaviours } = service;
  const [bare = ''] = endpoint.url.split('#', 1);
  if (endpoint.kind === 'externalEndpoint') return bare;
  const token = await behaviours.impersonationToken(service, delivery.userName, endpoint.tokenLifeTime);
  return withParameter(bare, behaviours.tokenParameter(delivery.kind), token);
}

/** Names that are given twice are joined as HTTP does. Source: RFC 9110 section 5.3 */
export function endpointHeaders(configured: readonly Header[]): Readonly<Record<string, string>> {
  const headers = new Map<string, Header>();
  for (const { name, value } of configured) {
    const former = headers.get(name.toLowerCase());
    headers.set(
      name.toLowerCase(),
      former === undefined ? { name, value } : { name: former.name, value: `${former.value}, ${value}` },
    );
  }
  return Object.fromEntries(headers.values().map(({ name, value }) => [name, value]));
}

const methodsWithBody = ['POST', 'PUT', 'PATCH'];

/** The configured content and nothing else, a text as it is. Source: extensions, text below Registered external endpoint; ledger endpoint-body-and-query */
export function endpointBody(method: string, content: unknown): string | undefined {
  if (!methodsWithBody.includes(method) || content === undefined) return undefined;
  return typeof content === 'string' ? content : JSON.stringify(content);
}
