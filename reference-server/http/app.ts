import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DocsPage } from '../areas/openapi/docs-page.ts';
import type { OpenApi } from '../areas/openapi.ts';
import { correlationIdOf, type Messages } from '../areas/messages.ts';
import { controlPrefix } from '../../contract/control/route.ts';
import type { ServiceStep } from '../../contract/control/script.ts';
import { correlatedLog, loggedUrl, silentLog } from '../log.ts';
import type { Clock } from '../../clock/clock.ts';
import type { Answer, Call, Log } from './call.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Journal } from './journal.ts';
import { Refusal } from './refusal.ts';
import type { Route } from './route.ts';
import { Router, pathsOf, restOf } from './router.ts';
import { breakOff, broken, isInstead, type Script } from './script.ts';
import { transmit } from './wire.ts';

/** Largest body that is read. */
const bodyLimitBytes = 16 * 1024 * 1024;

export interface App {
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
  readonly inFlight: InFlight;
}

interface Needs {
  readonly log: Log;
  readonly dispatcher: Dispatcher;
  readonly messages: Messages;
  readonly openApi: OpenApi;
}

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

/** What lies between the clients and the service. */
export interface Way {
  /** Time that answers take. */
  readonly clock: Clock;
  readonly script: Script;
  /** Only where somebody may ask for it. */
  readonly journal: Journal | undefined;
  /** Whether that answered a request which was none to the service. */
  readonly answersBrowser: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** Puts routes on HTTP. Every answer, to what no route has as well, takes the way of the service: finished, logged, sent. */
export function makeApp(needs: Needs, routes: readonly Route[], quiet: readonly Route[], way: Way): App {
  const inFlight = new InFlight();
  const turn = new Turn();
  const router = routerOf(needs, routes, quiet);
  const respond = async (request: IncomingMessage, response: ServerResponse, step?: ServiceStep): Promise<void> => {
    const { method = '', url = '/' } = request;
    const found = router.find(method, url);
    const place = found?.place;
    if (place !== undefined && 'contentOf' in place) return sendPage(response, place);
    const { route, log } = place ?? { route: undefined, log: needs.log };
    const body = route !== undefined && takesStream(route) ? undefined : await bodyOf(request);
    const arrived = { route, log, params: found?.params ?? {}, body: body instanceof Buffer ? body : undefined };
    const call = callOf(needs.messages, request, arrived);
    const answer = await needs.dispatcher.answer(call, async () => {
      if (body instanceof Refusal) throw body;
      if (route === undefined) throw unknownRoute(method, url, router.methodsOf(url));
      return needs.dispatcher.carryOut(route, call);
    });
    await turn.end();
    const isThere = step === undefined || (await way.script.holdBack(step, response));
    if (!isThere || step?.cut === 'before-answer') return lose(request, answer);
    const sent = step?.cut === 'in-body' ? broken(answer) : answer;
    await transmit(response, sent, way.clock, () => inFlight.draining);
  };
  const answer: App['answer'] = (request, response) => {
    if (way.answersBrowser(request, response)) return;
    const isControl = request.url?.startsWith(controlPrefix) === true;
    if (!isControl) way.journal?.add(request, response);
    const step = isControl ? undefined : way.script.next(request);
    if (step !== undefined) logStep(needs, request, step);
    if (step !== undefined && isInstead(step)) return void way.script.perform(step, request, response);
    inFlight.enter(response);
    respond(request, response, step).catch((error: unknown) => {
      needs.log.error({ err: error }, 'could not be answered');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  };
  return { answer, inFlight };
}

/** An answer that never leaves, though what it tells of was done. */
function lose(request: IncomingMessage, { stream }: Answer): void {
  stream?.content.destroy();
  breakOff(request);
}

function logStep(
  { log, messages }: Needs,
  { method, url = '/', rawHeaders }: IncomingMessage,
  step: ServiceStep,
): void {
  const { correlationId } = correlationIdOf(messages.headersOf(rawHeaders));
  correlatedLog(log, correlationId).info({ method, url: loggedUrl(url), step }, 'scripted');
}

/** A route, and where its calls are told of. */
interface Served {
  readonly route: Route;
  readonly log: Log;
}

function routerOf(
  { log, openApi }: Needs,
  routes: readonly Route[],
  quiet: readonly Route[],
): Router<Served | DocsPage> {
  const router = new Router<Served | DocsPage>();
  const served = [...routes.map((route) => ({ route, log })), ...quiet.map((route) => ({ route, log: silentLog }))];
  for (const place of served) for (const path of pathsOf(place.route)) router.add(place.route.method, path, place);
  for (const page of openApi.docsPages()) router.add('GET', page.path, page);
  return router;
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

function unknownRoute(method: string, url: string, allow: readonly string[] | undefined): Refusal {
  const [path] = url.split('?', 1);
  if (allow === undefined) return new Refusal(400, 'Expected a path with valid percent-encoding.');
  if (allow.length === 0) return new Refusal(404, `There is no route ${path}.`);
  return new Refusal(405, `${path} knows ${allow.join(', ')}, not ${method}.`, {
    headers: { Allow: allow.join(', ') },
  });
}

/** What is known of a request beside its message; its log is a silent one for calls that are no business of the service. */
interface Arrived {
  readonly route: Route | undefined;
  readonly log: Log;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** The request as areas see it. */
function callOf(messages: Messages, request: IncomingMessage, { route, log, params, body }: Arrived): Call {
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
  return 'streams' in route;
}
