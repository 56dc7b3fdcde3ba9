import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { RequestHeaders } from '../headers.ts';
import type { Service, SpaceCall } from '../service.ts';
import type { FoundRoute } from './operation-routes.ts';
import type { BatchOperation } from './operation.ts';

/** Headers that an operation has from the batch request, whatever it says itself. Source: core, Batch operation, headers; ledger batch-correlation-id */
const inherited = [
  'authorization',
  headerNames.informationFilter.toLowerCase(),
  headerNames.correlationId.toLowerCase(),
  'host',
];
const absoluteHref = /^(https?):\/\/([^/?#]*)/i;

/** The request that the operation stands for. */
export function operationCall(
  service: Service,
  batch: SpaceCall,
  operation: BatchOperation,
  path: string,
  { params }: FoundRoute,
): SpaceCall {
  const queryAt = path.indexOf('?');
  return {
    ...batch,
    method: operation.method,
    url: path,
    params,
    query: new URLSearchParams(queryAt < 0 ? '' : path.slice(queryAt)),
    headers: service.behaviours.operationHeaders(service, batch, operation),
    body: operation.body === undefined ? undefined : Buffer.from(JSON.stringify(operation.body)),
  };
}

/** Source: core, Batch operation, headers; ledger batch-content-type-of-operation, batch-authorization-in-operation */
export function operationHeaders(service: Service, batch: SpaceCall, { headers }: BatchOperation): RequestHeaders {
  const own = service.behaviours.headersOf(Object.entries(headers).flat());
  const given = Object.fromEntries(inherited.map((name) => [name, batch.headers[name]]));
  return { 'content-type': mediaTypes.json, ...own, ...given };
}

/**
 * Path with query of an href, which may start with scheme and host or at the API root; undefined for another origin than that of the
 * batch request. Source: core, Batch operation, href; ledger batch-href-form
 */
export function pathOfHref(batch: SpaceCall, href: string): string | undefined {
  const [origin = '', scheme = '', authority = ''] = absoluteHref.exec(href) ?? [];
  if (origin !== '' && !sameOrigin(scheme, authority, batch.headers.host ?? '')) return undefined;
  return href.slice(origin.length).split('#', 1)[0] ?? '';
}

/** A gateway may have taken TLS away, so the scheme is that of the href. */
function sameOrigin(scheme: string, authority: string, host: string): boolean {
  const [one, other] = [`${scheme}://${authority}`, `${scheme}://${host}`].map((text) =>
    URL.canParse(text) ? new URL(text).origin : undefined,
  );
  return one !== undefined && one === other;
}
