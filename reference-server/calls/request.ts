import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Delivery, OutgoingRequest } from '../delivery/delivery.ts';
import type { Header } from '../registration/model.ts';
import type { Service } from '../service.ts';
import type { Reading } from '../store/store.ts';
import type { EndpointTarget, ExtensionTarget } from './target.ts';
import { withParameter } from './url.ts';

/** One attempt of a delivery. The token in it is issued for this attempt. Undefined where the registration is gone. Source: ledger token-on-retry */
export async function requestFor(service: Service, reading: Reading, delivery: Delivery, _attempt: number): Promise<OutgoingRequest | undefined> {
  const target = await service.behaviours.calleeOf(service, reading, delivery);
  if (target === undefined) return undefined;
  if ('endpoint' in target) return service.behaviours.endpointRequest(service, delivery, target);
  return service.behaviours.extensionRequest(service, delivery, target);
}

/** Signed, with the envelope. Source: extensions, Calls to extensions; Authentication 3 and 4 */
export async function extensionRequest(service: Service, delivery: Delivery, target: ExtensionTarget): Promise<OutgoingRequest> {
  const { behaviours } = service;
  const token = await behaviours.impersonationToken(service, delivery.userName, target.extension.tokenLifeTime);
  const payload = behaviours.payloadOf(service, delivery, token);
  const url = behaviours.hasTokenQuery(delivery.kind) ? withParameter(target.url, behaviours.tokenParameter(delivery.kind), token) : target.url;
  const headers = {
    ...behaviours.signatureHeaders(service, target.extension.apiKey, url),
    'Content-Type': `${mediaTypes.json}; charset=utf-8`,
    [headerNames.correlationId]: delivery.envelopeId,
  };
  const body = JSON.stringify(behaviours.envelopeOf(service, delivery, token, payload));
  return { method: 'POST', url, headers, body, timeoutMs: target.timeoutMs };
}

/** As configured; trusted ones get a token in the query. Source: extensions, Registered external endpoint and Registered trusted external endpoint */
export async function endpointRequest(service: Service, delivery: Delivery, target: EndpointTarget): Promise<OutgoingRequest> {
  const { behaviours } = service;
  const method = target.endpoint.method.toUpperCase();
  const body = behaviours.endpointBody(method, delivery.payload);
  return {
    method,
    url: await behaviours.endpointUrl(service, delivery, target),
    headers: behaviours.endpointHeaders(target.endpoint.headers),
    ...(body === undefined ? {} : { body }),
    timeoutMs: target.timeoutMs,
  };
}

export async function endpointUrl(service: Service, delivery: Delivery, { endpoint }: EndpointTarget): Promise<string> {
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
    headers.set(name.toLowerCase(), former === undefined ? { name, value } : { name: former.name, value: `${former.value}, ${value}` });
  }
  return Object.fromEntries(headers.values().map(({ name, value }) => [name, value]));
}

const methodsWithBody = ['POST', 'PUT', 'PATCH'];

/** The configured content and nothing else, a text as it is. Source: extensions, text below Registered external endpoint; ledger endpoint-body-and-query */
export function endpointBody(method: string, content: unknown): string | undefined {
  if (!methodsWithBody.includes(method) || content === undefined) return undefined;
  return typeof content === 'string' ? content : JSON.stringify(content);
}
