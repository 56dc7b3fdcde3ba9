import { type Duplex, duplexPair, Readable } from 'node:stream';
import type { Socket } from 'node:net';
import type { Dispatcher, Pool } from 'undici';
import { openService } from './open-service.ts';
import { assertOptions, OptionError } from '../contract/option.ts';
import { type Service, type ServiceOptions, serviceOptions } from './service.ts';

/** A service without a port: clients call a function. */
export interface FetchedService extends Service {
  /**
   * Answers a request as the service would, whatever its origin: bodies stream both ways, every method passes, and a signal that aborts cuts the
   * connection. A path alone is one of the service. Redirects are not followed.
   * @throws {TypeError} the connection broke, as with the fetch of the platform; the reason of the signal that aborted
   */
  readonly fetch: (input: Request | URL | string, init?: RequestInit) => Promise<Response>;
}

/** Where a service without a port is, as its links have it, unless something else is said. */
const usualUrl = 'https://svc.example';

/** Longer bodies leave while they come, without a Content-Length, in bytes. */
const mostCollectedBytes = 1024 * 1024;

const ofTheConnection: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

/** Answers that have no body, which `Response` insists on. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Opens the service in this process, as `(Request) => Promise<Response>`. What it says about itself starts with that URL.
 * @throws {ConfigurationError | OptionError | StoreError} an option or a URL that is not right
 */
export async function fetchService(
  url: string | URL = usualUrl,
  options: ServiceOptions = {},
): Promise<FetchedService> {
  assertOptions('the service', options, serviceOptions);
  const origin = originOf(url);
  const { server, at } = await openService(options);
  const admit = await server.serve(origin);
  let pool: Promise<Pool> | undefined;
  const service = at(origin, async () => {
    const opened = pool;
    pool = Promise.reject(new Error('the service is closed'));
    pool.catch(() => undefined);
    await (await opened)?.destroy();
  });
  return Object.assign(service, {
    fetch: (input: Request | URL | string, init?: RequestInit) => {
      const request = new Request(typeof input === 'string' ? new URL(input, origin) : input, init);
      pool ??= openPool(origin, admit);
      return answerTo(request, pool);
    },
  });
}

/** The service has no path before its own. @throws {OptionError} */
function originOf(url: string | URL): string {
  const { origin = 'null', pathname, search, hash } = URL.parse(String(url)) ?? {};
  if (origin !== 'null' && pathname === '/' && search === '' && hash === '') return origin;
  throw new OptionError(
    `Expected scheme and host of the service, as ${usualUrl}, found ${JSON.stringify(String(url))}.`,
  );
}

/** Connections without a wire: the parser of the service reads what a client sends. That takes 80 ms to load, for which nobody waits who sends nothing. */
async function openPool(origin: string, admit: (connection: Duplex) => void): Promise<Pool> {
  const { Pool } = await import('undici');
  return new Pool(origin, {
    // later, as by any wire: the pool does not notice what is there before it has looked
    connect: (_address, connected) => queueMicrotask(() => connected(null, connection(admit) as Socket)),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** The client's end of a new connection. An end that is destroyed takes the other one with it, as a reset does. */
function connection(admit: (connection: Duplex) => void): Duplex {
  const [own, other] = duplexPair();
  own.once('close', () => other.destroy());
  other.once('close', () => {
    if (!other.writableFinished) own.destroy(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
  });
  for (const end of [own, other]) end.on('error', () => undefined);
  admit(Object.assign(other, { destroySoon: () => void other.end(() => other.destroy()) }));
  return own;
}

async function answerTo(request: Request, pool: Promise<Pool>): Promise<Response> {
  const { method, headers, signal } = request;
  const url = new URL(request.url);
  signal.throwIfAborted();
  try {
    const {
      statusCode,
      statusText,
      headers: given,
      body,
    } = await (
      await pool
    ).request({
      method,
      path: url.pathname + url.search,
      headers: { host: url.host, ...Object.fromEntries([...headers].filter(([name]) => !ofTheConnection.has(name))) },
      body: await bodyOf(request),
      signal,
    });
    const response = responseOf(statusCode, statusText, given, body);
    return Object.defineProperty(response, 'url', { value: url.href });
  } catch (error) {
    signal.throwIfAborted();
    throw new TypeError('fetch failed', { cause: error });
  }
}

type Answered = Dispatcher.ResponseData;

function responseOf(status: number, statusText: string, given: Answered['headers'], body: Answered['body']): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  if (!bodiless.has(status)) return new Response(streamOf(body), { status, statusText, headers });
  void body.dump();
  return new Response(null, { status, statusText, headers });
}

/** Pulled by its reader, who may also cancel it: then the connection goes. */
function streamOf(body: Answered['body']): ReadableStream<Uint8Array> {
  // who cancels does not want to hear of it
  body.on('error', () => undefined);
  const pieces = body[Symbol.asyncIterator]();
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done !== true) return controller.enqueue(new Uint8Array(value));
      controller.close();
      controller.byobRequest?.respond(0);
    },
    async cancel() {
      body.destroy();
    },
  });
}

/** A short body as a whole, so that its length is told as other clients tell it; a long one piece by piece. */
async function bodyOf({ body }: Request): Promise<Buffer | Readable | null> {
  if (body === null) return null;
  const reader = body.getReader();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= mostCollectedBytes) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(pieces);
    pieces.push(value);
    bytes += value.byteLength;
  }
  return Readable.from(rest(pieces, reader));
}

async function* rest(
  pieces: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* pieces;
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
