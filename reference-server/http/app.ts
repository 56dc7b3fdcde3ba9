import findMyWay, { type HTTPMethod, type HTTPVersion, type Instance } from 'find-my-way';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DocsPage } from '../areas/openapi/docs-page.ts';
import type { OpenApi } from '../areas/openapi.ts';
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

/** Longest path segment that is matched; ids of ours are far shorter. */
const segmentLimitChars = 4096;

export interface App {
  /** Answers a request. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
  readonly inFlight: InFlight;
}

interface Needs {
  readonly log: Log;
  readonly dispatcher: Dispatcher;
  readonly messages: Messages;
  readonly openApi: OpenApi;
}

type Router = Instance<HTTPVersion.V1>;

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
 * Puts routes on HTTP. Every answer, to what no route has as well, takes the way of the service: finished, logged, sent.
 * @param wireClock time that answers take on their way
 */
export function makeApp(needs: Needs, routes: readonly Route[], quiet: readonly Route[], wireClock: Clock): App {
  const all = [...routes, ...quiet];
  const inFlight = new InFlight();
  const respond = responder(needs, wireClock, inFlight);
  const router = findMyWay({ maxParamLength: segmentLimitChars, onBadUrl: nothing, onMaxParamLength: nothing });
  for (const [list, log] of [[routes, needs.log] as const, [quiet, silentLog] as const])
    for (const route of list) for (const path of pathsOf(route)) register(router, path, { route, log });
  for (const page of needs.openApi.docsPages()) router.on('GET', page.path, nothing, page);
  const routed = restHider(all);
  const allowed = new Allowed(all);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    inFlight.enter(response);
    const [method, url] = [request.method ?? '', request.url ?? '/'];
    const found = router.find(method as HTTPMethod, routed(canonicalUrl(url)));
    // that is how the router tells of a path that it cannot decode, or whose segments are too long
    if (found?.store === null) return respond(request, response, {}, refuseUrl(url));
    const at: Place | DocsPage | undefined = found?.store;
    if (at !== undefined && 'contentOf' in at) return sendPage(response, at);
    const { route, log = needs.log } = at ?? {};
    const body = route !== undefined && takesStream(route) ? undefined : await bodyOf(request);
    const work = async (call: Call): Promise<Answer> => {
      if (body instanceof Refusal) throw body;
      if (route === undefined) throw unknownRoute(method, url, allowed.methodsOf(url));
      return needs.dispatcher.carryOut(route, call);
    };
    return respond(
      request,
      response,
      { log, params: found?.params as Params, ...(route && { route }), ...(body instanceof Buffer && { body }) },
      work,
    );
  };
  const fail = (response: ServerResponse, error: unknown): void => {
    needs.log.error({ err: error }, 'could not be answered');
    if (!response.headersSent) response.writeHead(500);
    response.end();
  };
  return {
    answer: (request, response) => void answer(request, response).catch((error: unknown) => fail(response, error)),
    inFlight,
  };
}

/** What stands behind a path of the router: it is told who answers, and never calls it. */
interface Place {
  readonly route: Route;
  readonly log: Log;
}

type Params = Readonly<Record<string, string>>;

function nothing(): void {}

function register(router: Router, path: string, place: Place): void {
  const url = routerPath(path);
  const methods: readonly HTTPMethod[] = place.route.method === 'GET' ? ['GET', 'HEAD'] : [place.route.method];
  for (const method of methods) if (!router.hasRoute(method, url)) router.on(method, url, nothing, place);
}

/** What is known of a request beside its message. */
interface Arrived {
  readonly route?: Route;
  readonly log?: Log;
  readonly params?: Params;
  readonly body?: Buffer;
}

type Respond = (
  request: IncomingMessage,
  response: ServerResponse,
  arrived: Arrived,
  work: (call: Call) => Promise<Answer>,
) => Promise<void>;

function responder({ log: serverLog, dispatcher, messages }: Needs, wireClock: Clock, inFlight: InFlight): Respond {
  const turn = new Turn();
  return async (request, response, arrived, work) => {
    const call = callOf(messages, request, { log: serverLog, ...arrived });
    const answer = await dispatcher.answer(call, () => work(call));
    await turn.end();
    await transmit(response, answer, wireClock, () => inFlight.draining);
  };
}

async function sendPage(response: ServerResponse, { type, contentOf }: DocsPage): Promise<void> {
  const content = await contentOf();
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(content) }).end(content);
}

/** Bodies of every type, or of none, reach the routes as bytes: what type is right is theirs to say, after access is decided. */
function bodyOf(request: IncomingMessage): Promise<Buffer | Refusal | undefined> | undefined {
  const { method = '', headers } = request;
  const length = Number(headers['content-length'] ?? 0);
  const isEmpty = headers['content-type'] === undefined && headers['transfer-encoding'] === undefined && length === 0;
  if (isEmpty || bodiless.has(method)) return undefined;
  return new Promise((resolve) => {
    if (length > bodyLimitBytes) return resolve(tooLarge());
    const pieces: Buffer[] = [];
    let bytes = 0;
    const take = (piece: Buffer): void => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > bodyLimitBytes) end(tooLarge());
    };
    const end = (body: Buffer | Refusal): void => {
      request.off('data', take).off('end', whole).off('error', broken);
      resolve(body);
    };
    const whole = (): void => end(Buffer.concat(pieces, bytes));
    const broken = (error: Error): void => end(new Refusal(400, error.message));
    request.on('data', take).on('end', whole).on('error', broken);
  });
}

/** Methods whose bodies nobody reads. */
const bodiless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'TRACE']);

function tooLarge(): Refusal {
  return new Refusal(413, `Expected a body of at most ${bodyLimitBytes} bytes.`, { headers: { Connection: 'close' } });
}

function refuseUrl(url: string): () => Promise<never> {
  return async () => {
    if (isDecodable(url)) throw new Refusal(414, `Expected segments of at most ${segmentLimitChars} characters.`);
    throw new Refusal(400, 'Expected a path with valid percent-encoding.');
  };
}

function isDecodable(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}

function unknownRoute(method: string, url: string, allow: readonly string[]): Refusal {
  const [path] = url.split('?', 1);
  if (allow.length === 0) return new Refusal(404, `There is no route ${path}.`);
  return new Refusal(405, `${path} knows ${allow.join(', ')}, not ${method}.`, {
    headers: { Allow: allow.join(', ') },
  });
}

/** The request as areas see it. `log` is that of the server, or a silent one for calls that are no business of the service. */
function callOf(
  messages: Messages,
  request: IncomingMessage,
  { route, log, params = {}, body }: Arrived & { readonly log: Log },
): Call {
  const headers = messages.headersOf(request.rawHeaders);
  const correlation = correlationIdOf(headers);
  const { url = '/', method = '' } = request;
  const queryAt = url.indexOf('?');
  const rest = route === undefined ? undefined : restOf(route.path, url);
  const { remoteAddress } = request.socket;
  return {
    // HEAD is GET whose content stays behind; RFC 9110 section 9.3.2
    method: method === 'HEAD' ? 'GET' : method,
    ...(method === 'HEAD' && { withoutContent: true }),
    url,
    params,
    query: new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt)),
    headers,
    body,
    ...(route !== undefined && takesStream(route) && { stream: request }),
    ...(rest && { rest }),
    ...correlation,
    log: correlatedLog(log, correlation.correlationId),
    // none where the connection has ended, or where there never was one
    ...(remoteAddress !== undefined && { remoteAddress }),
    isAbandoned: () => request.socket.destroyed,
  };
}

/** Whether the body of the route is left where it is, for the route to read. */
function takesStream(route: Route): boolean {
  return 'streams' in route && route.streams === true;
}
