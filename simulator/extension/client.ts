import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Agent, FormData } from 'undici';
import { messageOf } from '../../contract/thrown.ts';
import type { HostClock } from './clock.ts';
import type { Activity } from '../../clock/activity.ts';
import { within } from './within.ts';

/** A request of the host to a service. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | FormData | (() => Readable);
}

/** An answer whose body is still to come. */
export interface Incoming {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** What came back; nobody looks into its body. */
export interface Reply {
  readonly status: number;
}

/** A call-back that cannot be made, or that was refused. */
export class CallbackError extends Error {
  readonly code = 'CALLBACK';
  /** Status of the answer, where there was one. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** Longest wait for an answer, in ms of the clock. */
const patienceMs = 30_000;
/** Most bytes of an answer that are read where it is only the way to the next one. */
const mostRedirectBytes = 1024 * 1024;
const mostRedirects = 5;

/** The host's own HTTP client. Its waiting is that of the host's clock. */
export class Client {
  readonly #clock: HostClock;
  readonly #activity: Activity;
  /** Made with the first request: undici takes longer to load than all else of a host. */
  #agent: Promise<Agent> | undefined;

  constructor(clock: HostClock, activity: Activity) {
    this.#clock = clock;
    this.#activity = activity;
  }

  /** Sends and waits for the whole answer, whatever its status; redirects are not followed. @throws {CallbackError | OutOfTimeError} */
  send(outgoing: Outgoing, signal: AbortSignal): Promise<Reply> {
    const tag = `${outgoing.method} ${pathOf(outgoing.url)}`;
    return this.#activity.call(() =>
      within(this.#clock, patienceMs, signal, tag, async (signal) => {
        const { statusCode, body } = await this.request(outgoing, signal);
        // what breaks off is no answer
        await finished(body.resume());
        return { status: statusCode };
      }),
    );
  }

  /** The same, for an answer that has to be 2xx. @throws {CallbackError | OutOfTimeError} */
  async demand(outgoing: Outgoing, signal: AbortSignal): Promise<Reply> {
    const reply = await this.send(outgoing, signal);
    if (isSuccess(reply.status)) return reply;
    throw refusal(outgoing, reply.status);
  }

  /** Hands the body of a GET to `take` while it arrives. Follows a few redirects; credentials stay with the origin. @throws {CallbackError} */
  download<T>(
    url: string,
    headers: Outgoing['headers'],
    signal: AbortSignal,
    take: (body: Readable) => Promise<T>,
  ): Promise<T> {
    return this.#activity.call(async () => {
      let outgoing: Outgoing = { method: 'GET', url, headers };
      for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
        const answer = await this.request(outgoing, signal);
        if (isSuccess(answer.statusCode)) return take(answer.body);
        await skip(answer.body);
        const { location } = answer.headers;
        if (typeof location !== 'string' || !isRedirect(answer.statusCode)) throw refusal(outgoing, answer.statusCode);
        outgoing = followRedirect(outgoing, location);
      }
      throw new CallbackError(`GET ${pathOf(url)} was redirected more than ${mostRedirects} times`);
    });
  }

  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  /** Sends as it stands; resolves when the head of an answer is there. @throws {CallbackError} there is none, or the reason of the signal */
  async request({ method, url, headers, body }: Outgoing, signal: AbortSignal): Promise<Incoming> {
    assertHttp(url);
    const { request } = await import('undici');
    const dispatcher = await (this.#agent ??= openAgent());
    try {
      const sent = typeof body === 'function' ? body() : body;
      return await request(url, { method, headers, body: sent ?? null, signal, dispatcher });
    } catch (error) {
      signal.throwIfAborted();
      throw new CallbackError(`${method} ${pathOf(url)} failed (${messageOf(error)})`);
    }
  }
}

async function openAgent(): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 10_000 }, connections: 64 });
}

/** @throws {CallbackError} no absolute URL of http or https */
function assertHttp(url: string): void {
  if (!URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol))
    throw new CallbackError(`Expected an address of http or https, found ${url.slice(0, 100)}`);
}

/** Reads a body that nobody wants, so that its connection can be kept. */
async function skip(body: Readable): Promise<void> {
  let left = mostRedirectBytes;
  for await (const piece of body as AsyncIterable<Buffer>) {
    left -= piece.length;
    if (left < 0) break;
  }
}

function followRedirect({ url, headers, ...rest }: Outgoing, location: string): Outgoing {
  if (!URL.canParse(location, url)) throw new CallbackError(`GET ${pathOf(url)} was redirected to no address`);
  const target = new URL(location, url);
  const kept = target.origin === new URL(url).origin ? headers : {};
  return { ...rest, url: target.href, headers: kept };
}

function refusal({ method, url }: Outgoing, status: number): CallbackError {
  return new CallbackError(`${method} ${pathOf(url)} was answered ${status}`, status);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** Without the query, which may hold a token. */
function pathOf(url: string): string {
  return url.split('?')[0] ?? '';
}
