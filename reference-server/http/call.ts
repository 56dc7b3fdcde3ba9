import type { FastifyRequest } from 'fastify';
import { correlatedLog } from '../log.ts';
import type { Route } from '../route.ts';
import type { Call, Log, Service } from '../service.ts';
import { restOf } from './routing.ts';

const noParams: Readonly<Record<string, string>> = {};

/** The request as the behaviours see it. `log` is that of the server, or a silent one for calls that are no business of the service. */
export function callOf(service: Service, request: FastifyRequest, log: Log, route?: Route): Call {
  const headers = service.behaviours.headersOf(request.raw.rawHeaders);
  const correlation = service.behaviours.correlationIdOf(headers);
  const url = request.originalUrl;
  const queryAt = url.indexOf('?');
  const rest = route === undefined ? undefined : restOf(route.path, url);
  return {
    // HEAD is GET whose content stays behind; RFC 9110 section 9.3.2
    method: request.method === 'HEAD' ? 'GET' : request.method,
    ...(request.method === 'HEAD' && { withoutContent: true }),
    url,
    params: paramsOf(request),
    query: new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt)),
    headers,
    body: Buffer.isBuffer(request.body) ? request.body : undefined,
    ...(route !== undefined && takesStream(route) && { stream: request.raw }),
    ...(rest && { rest }),
    ...correlation,
    log: correlatedLog(log, correlation.correlationId),
    isAbandoned: () => request.raw.socket.destroyed,
  };
}

/** Whether the body of the route is left where it is, for the route to read. */
export function takesStream(route: Route): boolean {
  return route.effect === 'outside' && route.streams === true;
}

/** The router decodes into a record of texts; its type says unknown. */
function paramsOf(request: FastifyRequest): Readonly<Record<string, string>> {
  return (request.params as Readonly<Record<string, string>> | undefined) ?? noParams;
}
