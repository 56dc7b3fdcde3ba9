import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer, originForm } from '../../contract/node-http.ts';
import { machineClock, type HostClock } from './clock.ts';
import type { Entry } from './entry.ts';
import { Journal } from './journal.ts';
import { perform } from './perform.ts';
import { bodyOf, headersOf } from './receive.ts';
import type { Arrival, Site } from './site.ts';

/** What a listener shows to those who call it over TLS, in PEM. */
export interface Tls {
  readonly certificate: string;
  readonly key: string;
}

export interface ListenerOptions {
  /** Address to listen on; loopback unless given. */
  readonly host?: string;
  /** 0, or nothing, for a free one. */
  readonly port?: number;
  /** Without it, HTTP is spoken. */
  readonly tls?: Tls | undefined;
  readonly clock?: HostClock;
  /** File to which the journal is appended as JSON lines. */
  readonly journalFile?: string;
  /** Asked first: whether it answered the request itself. */
  readonly before?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

const limits = { maxHeaderSize: 64 * 1024, headersTimeout: 20_000, requestTimeout: 120_000, keepAliveTimeout: 65_000 };
const mostConnections = 8192;
/** Calls for whose end a user waits. Source: extensions, Calls to extensions */
const awaited: ReadonlySet<Entry['kind']> = new Set(['validation', 'action']);
/** Strays that are told. */
const mostStrays = 20;
/** Segments that the base path of a site may have. */
const deepestBase = 4;

/** An HTTP listener with extensions at base paths of their own. Everything that arrives is in its journal. */
export class Listener {
  readonly journal: Journal;
  /** Requests to paths that nobody was given, as `GET /favicon.ico`; the first of them. */
  readonly strays: string[] = [];
  /** Told whenever the number of requests held back changes. */
  heldChanged: (held: number) => void = () => undefined;
  /** Told the object of a call for whose end a user waits, before it is answered. */
  calledAbout: (objectId: string) => void = () => undefined;
  readonly #clock: HostClock;
  readonly #sites = new Map<string, Site>();
  readonly #server: Server;
  readonly #host: string;
  readonly #closing = new AbortController();
  readonly #before: NonNullable<ListenerOptions['before']>;
  #port: number;
  #arrived = 0;
  #open = 0;
  #held = 0;

  constructor({
    host = '127.0.0.1',
    port = 0,
    tls,
    clock = machineClock,
    journalFile,
    before = () => false,
  }: ListenerOptions = {}) {
    this.journal = new Journal(journalFile);
    this.#clock = clock;
    this.#host = host;
    this.#port = port;
    this.#before = before;
    this.#server = serverSpeaking(tls, limits, (request, response) => void this.#take(request, response));
    this.#server.maxConnections = mostConnections;
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  get port(): number {
    return this.#port;
  }

  /** Requests being taken or answered, without those that a script holds back. */
  get busy(): number {
    return this.#open - this.#held;
  }

  /** Requests that a script holds back. */
  get held(): number {
    return this.#held;
  }

  /** Starts to listen, after `shut` on the same port as before. @throws the system's error */
  async listen(): Promise<this> {
    this.#port = await listenOn(this.#server, this.#host, this.#port);
    return this;
  }

  /** Refuses connections until `listen` is called again. */
  shut(): Promise<void> {
    return shut(this.#server);
  }

  mount(site: Site): void {
    this.#sites.set(site.base, site);
  }

  unmount(site: Site): void {
    if (this.#sites.get(site.base) === site) this.#sites.delete(site.base);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the host closes'));
    await this.shut();
    this.journal.close();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#before(request, response)) return;
    const site = this.#siteAt(request.url ?? '/');
    if (site === undefined) {
      if (this.strays.length < mostStrays) this.strays.push(`${request.method} ${request.url}`);
      response.writeHead(404).end();
      request.resume();
      return;
    }
    this.#open += 1;
    await this.#carryOut(site, this.#arrivalOf(request), request, response).finally(() => {
      this.#open -= 1;
    });
  }

  /** A request that is given up before its body is whole is recorded with what came. */
  async #carryOut(site: Site, arrival: Arrival, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const head = (): Entry => site.entryOf(arrival, new Uint8Array(), false);
    if (site.cutsBeforeBody(head)) return this.#answer(site, head(), request, response);
    const body = await bodyOf(request).catch(() => undefined);
    const entry = body === undefined ? head() : site.entryOf(arrival, body.bytes, body.cutShort);
    if (body !== undefined) return this.#answer(site, entry, request, response);
    this.journal.add(entry);
    this.#end(entry, 'abandoned');
  }

  async #answer(site: Site, entry: Entry, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.journal.add(entry);
    this.#tellObjectOf(entry);
    const decided = site.stepFor(entry);
    const gone = new AbortController();
    const leave = (): void => gone.abort(new Error('the caller went away'));
    response.once('close', leave);
    const step = decided instanceof Promise ? await decided : decided;
    entry.step = step;
    // what is written to nobody never ends
    if (gone.signal.aborted) return this.#end(entry, 'abandoned');
    if (step.status !== undefined && step.never !== true) entry.status = step.status;
    const signal = AbortSignal.any([gone.signal, this.#closing.signal]);
    const held = (now: boolean): void => {
      this.#held += now ? 1 : -1;
      this.heldChanged(this.#held);
    };
    let endedAt: number | undefined;
    const ending = (): void => {
      endedAt = this.#clock.now();
    };
    await perform(step, { request, response, clock: this.#clock, signal, released: site.released, held, ending }).then(
      (end) => this.#end(entry, end, endedAt),
      () => this.#end(entry, 'abandoned'),
    );
  }

  #tellObjectOf({ kind, envelope }: Entry): void {
    const { objectId } = envelope?.payload ?? {};
    if (awaited.has(kind) && typeof objectId === 'string' && objectId !== '') this.calledAbout(objectId);
  }

  #end(entry: Entry, ending: NonNullable<Entry['ending']>, endedAt = this.#clock.now()): void {
    entry.endedAt = endedAt;
    entry.ending = ending;
    this.journal.finish(entry);
  }

  #arrivalOf(request: IncomingMessage): Arrival {
    this.#arrived += 1;
    return {
      number: this.#arrived,
      arrivedAt: this.#clock.now(),
      arrivedWall: new Date().toISOString(),
      method: request.method ?? '',
      target: request.url ?? '',
      headers: headersOf(request),
    };
  }

  /** The site with the longest base that the path begins with. */
  #siteAt(target: string): Site | undefined {
    const segments = (target.split('?')[0] ?? '').split('/', deepestBase + 1);
    for (let length = segments.length; length > 0; length -= 1) {
      const site = this.#sites.get(segments.slice(0, length).join('/'));
      if (site !== undefined) return site;
    }
    return undefined;
  }
}

/** A server of HTTP, over TLS where that is given. @throws {Error} certificate or key cannot be used */
export function serverSpeaking(
  tls: Tls | undefined,
  options: ServerOptions,
  take: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const takeByPath = (request: IncomingMessage, response: ServerResponse): void => {
    request.url = originForm(request.url);
    take(request, response);
  };
  if (tls === undefined) return createServer(options, takeByPath);
  return createSecureServer({ ...options, cert: tls.certificate, key: tls.key }, takeByPath);
}

/** Resolves with the port when the server listens there. @throws the system's error */
export async function listenOn(server: Server, host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  await promise.finally(() => server.off('error', reject));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/** Ends the server with its connections, if it listens. */
export async function shut(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** An address that a client can call: not one that stands for all of them. */
export function nameOf(host = '127.0.0.1'): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
