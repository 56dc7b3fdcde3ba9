import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import { correlationIdOf, type Messages } from '../areas/messages.ts';
import { correlatedLog, silentLog } from '../log.ts';
import type { Clock } from '../../clock/clock.ts';
import type { Answer, Call, Log } from './call.ts';
import type { Dispatcher } from './dispatcher.ts';
import { Refusal } from './refusal.ts';
import { Allowed, type Route, canonicalUrl, pathsOf, restHider, restOf, routerPath } from './route.ts';
import { transmit } from './wire.ts';

/** Largest body that is read. */
const bodyLimitBytes = 16 * 1024 * 1024;

/** What the framework is told that a body is which a route reads by itself. */
const streamType = 'application/x-streamed';

const streamed = Symbol('body is read by the route');

/** Longest path segment that is matched; ids of ours are far shorter. */
const segmentLimitChars = 4096;

export interface App {
  readonly fastify: FastifyInstance;
  readonly inFlight: InFlight;
}

interface Needs {
  readonly log: Log;
  readonly dispatcher: Dispatcher;
  readonly messages: Messages;
}

interface Handlers {
  route(route: Route, log: Log, request: FastifyRequest, reply: FastifyReply): Promise<void>;
  unknown(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  refusal(request: FastifyRequest, reply: FastifyReply, error: FastifyError): Promise<void>;
}

const noParams: Readonly<Record<string, string>> = {};

/** Requests that are being read or answered. */
class InFlight {
  #count = 0;
  #besides = 0;
  #drained: (() => void) | undefined;
  readonly #leave = (): void => {
    this.#count -= 1;
    if (this.#count <= this.#besides) this.#drained?.();
  };

  /** Whether the server is on its way down, so that every answer is the last of its connection. */
  get draining(): boolean {
    return this.#drained !== undefined;
  }

  enter(response: ServerResponse): void {
    this.#count += 1;
    response.on('close', this.#leave);
  }

  /** Resolves when nothing is being answered any more, but for so many requests that wait for that. */
  drain(besides = 0): Promise<void> {
    return new Promise((resolve) => {
      this.#besides = besides;
      this.#drained = resolve;
      if (this.#count <= besides) resolve();
    });
  }
}

/**
 * Lets the answers of one turn of the event loop leave together. A write that finds its reader asleep wakes it, which costs the writer
 * about as much as the rest of a request; of writes close together only the first one does.
 */
class Turn {
  #end: Promise<void> | undefined;

  /** Resolves when all that arrived in this turn has been read. */
  end(): Promise<void> {
    this.#end ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#end = undefined;
        resolve();
      });
    });
    return this.#end;
  }
}

/**
 * Puts routes on HTTP. Every answer, refusals of the framework included, takes the way of the service: finished, logged, sent.
 * @param wireClock time that answers take on their way
 */
export function makeApp(needs: Needs, routes: readonly Route[], quiet: readonly Route[], wireClock: Clock): App {
  const routed = restHider([...routes, ...quiet]);
  const app = fastify({
    bodyLimit: bodyLimitBytes,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: segmentLimitChars },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    rewriteUrl: (request) => routed(canonicalUrl(request.url ?? '/')),
    frameworkErrors: (error, request, reply) => void handle.refusal(request, reply, error),
  });
  const inFlight = new InFlight();
  const handle = makeHandlers(needs, wireClock, inFlight, new Allowed([...routes, ...quiet]));
  handOverBodies(app);
  app.addHook('onRequest', (_request, reply, done) => {
    inFlight.enter(reply.raw);
    done();
  });
  for (const route of routes)
    register(app, route, (request, reply) => void handle.route(route, needs.log, request, reply));
  for (const route of quiet)
    register(app, route, (request, reply) => void handle.route(route, silentLog, request, reply));
  app.setNotFoundHandler(handle.unknown);
  app.setErrorHandler<FastifyError>((error, request, reply) => handle.refusal(request, reply, error));
  return { fastify: app, inFlight };
}

/** In the place of compilers that the framework would load otherwise, for schemas which no route has. */
function noSchemas(): never {
  throw new Error('a route has a schema');
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

function makeHandlers(
  { log: serverLog, dispatcher, messages }: Needs,
  wireClock: Clock,
  inFlight: InFlight,
  allowed: Allowed,
): Handlers {
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
      const call = callOf(messages, request, log, route);
      const answer = await dispatcher.answer(call, () => work(call));
      await turn.end();
      await transmit(reply.raw, answer, wireClock, () => inFlight.draining);
    } catch (error) {
      serverLog.error({ err: error }, 'could not be answered');
      if (!reply.raw.headersSent) reply.raw.writeHead(500);
      reply.raw.end();
    }
  };
  return {
    route: (route, log, request, reply) =>
      respond(request, reply, log, (call) => dispatcher.carryOut(route, call), route),
    unknown: (request, reply) =>
      respond(request, reply, serverLog, async (call) => {
        throw unknownRoute(request.method, call.url, allowed.methodsOf(call.url));
      }),
    refusal: (request, reply, error) =>
      respond(request, reply, serverLog, async (call) => {
        // what the framework asks of a method counts for nothing where no route has it
        if (error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE')
          throw unknownRoute(request.method, call.url, allowed.methodsOf(call.url));
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

/** The request as areas see it. `log` is that of the server, or a silent one for calls that are no business of the service. */
function callOf(messages: Messages, request: FastifyRequest, log: Log, route?: Route): Call {
  const headers = messages.headersOf(request.raw.rawHeaders);
  const correlation = correlationIdOf(headers);
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
    ...addressOf(request),
    isAbandoned: () => request.raw.socket.destroyed,
  };
}

/** None where the connection has ended, or where there never was one. */
function addressOf({ raw }: FastifyRequest): Pick<Call, 'remoteAddress'> {
  const { remoteAddress } = raw.socket;
  return remoteAddress === undefined ? {} : { remoteAddress };
}

/** Whether the body of the route is left where it is, for the route to read. */
function takesStream(route: Route): boolean {
  return 'streams' in route && route.streams === true;
}

/** The router decodes into a record of texts; its type says unknown. */
function paramsOf(request: FastifyRequest): Readonly<Record<string, string>> {
  return (request.params as Readonly<Record<string, string>> | undefined) ?? noParams;
}
