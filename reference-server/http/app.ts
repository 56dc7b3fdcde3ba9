import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from '../clock/clock.ts';
import { silentLog } from '../log.ts';
import { Refusal } from '../problem.ts';
import type { Route } from '../route.ts';
import type { Answer, Call, Log, Service } from '../service.ts';
import { answered } from './answering.ts';
import { callOf, takesStream } from './call.ts';
import { InFlight } from './in-flight.ts';
import { refuseMalformed } from './malformed.ts';
import { Allowed, canonicalUrl, pathsOf, restHider, routerPath } from './routing.ts';
import { Turn } from './turn.ts';
import { transmit } from './wire.ts';

/** Largest body that is read. */
export const bodyLimitBytes = 16 * 1024 * 1024;
/** What the framework is told that a body is which a route reads by itself. */
const streamType = 'application/x-streamed';
const streamed = Symbol('body is read by the route');
/** Longest path segment that is matched; ids of ours are far shorter. */
const segmentLimitChars = 4096;

export interface App {
  readonly fastify: FastifyInstance;
  readonly inFlight: InFlight;
}

/**
 * Puts routes on HTTP. Every answer, refusals of the framework included, takes the way of the service: finished, logged, sent.
 * @param wireClock time that answers take on their way
 */
export function appOf(
  service: Service,
  routes: readonly Route[],
  quiet: readonly Route[] = [],
  wireClock: Clock = service.clock,
): App {
  const routed = restHider([...routes, ...quiet]);
  const app = fastify({
    bodyLimit: bodyLimitBytes,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: segmentLimitChars },
    rewriteUrl: (request) => routed(canonicalUrl(request.url ?? '/')),
    frameworkErrors: (error, request, reply) => void handle.refusal(request, reply, error),
    clientErrorHandler: refuseMalformed,
  });
  const inFlight = new InFlight();
  const handle = handlers(service, wireClock, inFlight, new Allowed([...routes, ...quiet]));
  handOverBodies(app);
  app.addHook('onRequest', (_request, reply, done) => {
    inFlight.enter(reply.raw);
    done();
  });
  for (const route of routes)
    register(app, route, (request, reply) => void handle.route(route, service.log, request, reply));
  for (const route of quiet)
    register(app, route, (request, reply) => void handle.route(route, silentLog, request, reply));
  app.setNotFoundHandler(handle.unknown);
  app.setErrorHandler<FastifyError>((error, request, reply) => handle.refusal(request, reply, error));
  return { fastify: app, inFlight };
}

function register(
  app: FastifyInstance,
  route: Route,
  handler: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const method = route.method === 'GET' ? ['GET', 'HEAD'] : route.method;
  for (const path of pathsOf(route)) {
    const url = routerPath(path);
    const config = { [streamed]: takesStream(route) };
    if (!app.hasRoute({ method: route.method, url })) app.route({ method, url, handler, config });
  }
}

/** Bodies of every type, or of none, reach the routes as bytes: what type is right is theirs to say, after access is decided. */
function handOverBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addContentTypeParser(streamType, (_request, _payload, done) => done(null));
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    if (isStreamed(request)) headers['content-type'] = streamType;
    else if (headers['content-type'] !== undefined) headers['content-type'] = 'application/octet-stream';
    done();
  });
}

function isStreamed({ routeOptions }: FastifyRequest): boolean {
  return streamed in routeOptions.config && routeOptions.config[streamed] === true;
}

interface Handlers {
  route(route: Route, log: Log, request: FastifyRequest, reply: FastifyReply): Promise<void>;
  unknown(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  refusal(request: FastifyRequest, reply: FastifyReply, error: FastifyError): Promise<void>;
}

function handlers(service: Service, wireClock: Clock, inFlight: InFlight, allowed: Allowed): Handlers {
  const turn = new Turn();
  const respond = async (
    request: FastifyRequest,
    reply: FastifyReply,
    log: Log,
    work: (call: Call) => Promise<Answer>,
    route?: Route,
  ): Promise<void> => {
    reply.hijack();
    try {
      const call = callOf(service, request, log, route);
      const answer = await answered(service, call, () => work(call));
      await turn.end();
      await transmit(reply.raw, answer, wireClock, () => inFlight.draining);
    } catch (error) {
      service.log.error({ err: error }, 'could not be answered');
      if (!reply.raw.headersSent) reply.raw.writeHead(500);
      reply.raw.end();
    }
  };
  return {
    route: (route, log, request, reply) =>
      respond(request, reply, log, (call) => service.behaviours.carryOut(service, route, call), route),
    unknown: (request, reply) =>
      respond(request, reply, service.log, async (call) => {
        throw unknownRoute(request.method, call.url, allowed.methodsOf(call.url));
      }),
    refusal: (request, reply, error) =>
      respond(request, reply, service.log, async () => {
        throw refusalOf(error);
      }),
  };
}

function unknownRoute(method: string, url: string, allow: readonly string[]): Refusal {
  const [path] = url.split('?', 1);
  if (allow.length === 0) return new Refusal(404, `There is no route ${path}.`);
  return new Refusal(405, `${path} knows ${allow.join(', ')}, not ${method}.`, {
    headers: { Allow: allow.join(', ') },
  });
}

/** What the framework refuses before a route is reached; anything without a status of a client's mistake is a mistake of ours. */
function refusalOf(error: FastifyError): Error {
  if (error.code === 'FST_ERR_BAD_URL') return new Refusal(400, 'Expected a path with valid percent-encoding.');
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Refusal(413, `Expected a body of at most ${bodyLimitBytes} bytes.`, {
      headers: { Connection: 'close' },
    });
  }
  const { statusCode = 500 } = error;
  return statusCode >= 400 && statusCode < 500 ? new Refusal(statusCode, error.message) : error;
}
